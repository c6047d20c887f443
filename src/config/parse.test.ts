import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseSettings } from './parse.ts'
import { SettingsError } from './read.ts'
import type { Settings } from './shape.ts'

const parse = (text: string, name = 'sluice.jsonc'): Promise<Settings> =>
  parseSettings(text, `/p/${name}`, { shown: name, home: '/home/u', root: '/p' })
const fails = async (text: string, name?: string): Promise<string> => {
  const error = await parse(text, name).then(
    () => assert.fail(`it was taken: ${text}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof SettingsError, String(error))
  return error.message
}

suite('what is wrong is said with its place', () => {
  const cases: [text: string, message: string | RegExp, name?: string][] = [
    ['{"modle": "a/b"}', 'sluice.jsonc:1: unknown key "modle" in the file; did you mean model?'],
    ['{\n"model": "sonnet"}', 'sluice.jsonc:2: model cannot be "sonnet" (provider/model, such as anthropic/claude-sonnet-4-5)'],
    [
      '{"permission": {\n"bash": {\n"git *": "alow"}}}',
      'sluice.jsonc:3: permission, bash, "git *" must be one of allow, ask, deny, not "alow"',
    ],
    [
      '{"redact": {"patterns": [\n"ok",\n"(a"]}}',
      /^sluice\.jsonc:3: the pattern "\(a" is no regular expression of RE2: .+; mend it or take it out$/,
    ],
    [
      '{"permission": {\n"bash": "ask",\n"bsh": {"*": "deny"}}}',
      'sluice.jsonc:3: there is no tool or permission "bsh"; did you mean bash?',
    ],
    [
      'profiles:\n  a:\n    tools: [read, bahs]\n',
      'sluice.yaml:3: there is no tool or permission "bahs"; did you mean bash?',
      'sluice.yaml',
    ],
    ['{"permission": "no"}', /^sluice.jsonc:1: permission cannot be "no" \(allow, ask or deny/],
    ['{"permission": ["allow"]}', 'sluice.jsonc:1: permission must be a text or a mapping, not a list'],
    ['{"mcp": {"a": {}}}', 'sluice.jsonc:1: mcp, a needs command or url'],
    ['{"mcp": {"a": {"command": ["x"], "url": "http://x"}}}', 'sluice.jsonc:1: mcp, a needs command or url, not both'],
    ['{"mcp": {"a": {"command": []}}}', 'sluice.jsonc:1: mcp, a, command must not be empty'],
    ['{"mcp": {"a": {"url": "file:///etc/passwd"}}}', /^sluice.jsonc:1: mcp, a, url cannot be/],
    ['{"mcp": {"a": {"command": ["x"], "headers": {}}}}', 'sluice.jsonc:1: headers means nothing without url'],
    ['{"mcp": {"__proto__": {"command": ["x"]}}}', /^sluice.jsonc:1: "__proto__" in mcp is no name/],
    ['{"profiles": {"a\\u001b[2J": {}}}', /^sluice.jsonc:1: "a\\u001b\[2J" in profiles is no name/],
    ['{"profiles": {"a": {"permision": {}}}}', 'sluice.jsonc:1: unknown key "permision" in profiles, a; did you mean permission?'],
    ['{"providers": {"a": {}}}', 'sluice.jsonc:1: providers, a needs baseUrl'],
    ['{"env": ["SLUICE_TOKEN"]}', /^sluice.jsonc:1: env 1 cannot be "SLUICE_TOKEN"/],
    ['{"maxCost": 0}', 'sluice.jsonc:1: maxCost must be more than 0, not 0'],
    ['{"timeout": "0s"}', /^sluice.jsonc:1: timeout cannot be "0s"/],
    ['{"timeout": 5}', 'sluice.jsonc:1: timeout must be a text, not 5'],
    ['{"instructions": ["a", "../b"]}', 'sluice.jsonc:1: the instructions of a project must lie in it'],
    ['{"instructions": ["~/b"]}', 'sluice.jsonc:1: the instructions of a project must lie in it'],
    ['{"a": 1,', /^sluice.jsonc:1: this is not JSON/],
    ['[]', 'sluice.jsonc:1: the file must be a mapping, not a list'],
    ['model: a/b\nmodel: c/d', 'sluice.yaml:2: Map keys must be unique', 'sluice.yaml'],
    ['permission: &x {bash: ask}\nprofiles: {a: {permission: *x}}', /^sluice.yaml:2: .*[Aa]lias/, 'sluice.yaml'],
    ['{"permission": {"constructor": 1}}', /^sluice.jsonc:1: permission, constructor must be/],
  ]
  for (const [text, message, name] of cases)
    test(JSON.stringify(text), async () => {
      const said = await fails(text, name)
      if (typeof message === 'string') assert.equal(said, message)
      else assert.match(said, message)
    })

  test('all mistakes at once, up to a number', async () => {
    assert.equal((await fails(JSON.stringify({ env: Array.from({ length: 50 }, () => 1) }))).split('\n').length, 20)
  })

  test('more rules than anybody writes', async () => {
    const rules = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`x${index}`, 'deny']))
    assert.match(await fails(JSON.stringify({ permission: { bash: rules } })), /there are 1001 rules; at most 1000/)
    assert.match(await fails(JSON.stringify({ permission: { ['x'.repeat(1000)]: 'deny' } })), /longer than 1000 characters/)
  })
})

suite('rules', () => {
  const rules = async (text: string, name?: string): Promise<string[]> =>
    (await parse(text, name)).rules.map(({ permission, pattern, action, from }) => `${permission}:${pattern}=${action} ${from}`)

  test('one action for everything', async () => {
    assert.deepEqual(await rules('{"permission": "deny"}'), ['*:*=deny sluice.jsonc:1'])
  })

  test('in the order of the file, with their lines, numbers and strange names too', async () => {
    const json = '{"permission": {\n"read": "allow",\n"bash": {\n"*": "allow",\n"7": "deny",\n"__proto__": "ask"},\n"mcp__5__x": "deny"}}'
    assert.deepEqual(await rules(json), [
      'read:*=allow sluice.jsonc:2',
      'bash:*=allow sluice.jsonc:4',
      'bash:7=deny sluice.jsonc:5',
      'bash:__proto__=ask sluice.jsonc:6',
      'mcp__5__x:*=deny sluice.jsonc:7',
    ])
    const yaml = 'permission:\n  bash:\n    "*": allow\n    7: deny\n'
    assert.deepEqual(await rules(yaml, 'sluice.yaml'), ['bash:*=allow sluice.yaml:3', 'bash:7=deny sluice.yaml:4'])
  })
})

suite('what the keys mean', () => {
  test('nothing', async () => {
    assert.deepEqual(await parse('{}'), { rules: [], profiles: [], mcp: {}, providers: {}, env: [], redact: [], instructions: [] })
    assert.deepEqual(await parse('# only a comment\n', 'sluice.yml'), await parse('{}'))
  })

  test('everything', async () => {
    const settings = await parse(`{
      "$schema": "x", "model": "anthropic/claude", "profile": "me", "tools": ["read"], "historyLimit": 0, "env": ["A"],
      "redact": {"patterns": ["a+"]}, "instructions": ["docs/a.md", "./b.md"], "maxCost": 0.5, "maxTurns": 3, "timeout": "90s",
      "mcp": {"a": {"command": ["x", "y"], "environment": {"K": "{env:K}"}, "cwd": "sub", "timeout": "5s"}, "b": {"url": "https://x", "type": "sse", "enabled": false}},
      "providers": {"local": {"baseUrl": "http://127.0.0.1:1/v1"}, "anthropic": {"baseUrl": "http://x", "keyEnv": "K"}, "c": {"baseUrl": "http://x", "type": "openai"}}
    }`)
    assert.deepEqual(settings, {
      model: 'anthropic/claude',
      profile: 'me',
      tools: ['read'],
      historyLimit: 0,
      maxCost: 0.5,
      maxTurns: 3,
      timeoutMs: 90_000,
      rules: [],
      profiles: [],
      env: ['A'],
      redact: ['a+'],
      instructions: ['/p/docs/a.md', '/p/b.md'],
      mcp: {
        a: { command: ['x', 'y'], environment: { K: '{env:K}' }, cwd: 'sub', timeout: 5000 },
        b: { url: 'https://x', type: 'sse', enabled: false },
      },
      providers: {
        local: { baseUrl: 'http://127.0.0.1:1/v1', type: 'openai-compatible' },
        anthropic: { baseUrl: 'http://x', keyEnv: 'K', type: 'anthropic' },
        c: { baseUrl: 'http://x', type: 'openai' },
      },
    })
  })

  test('a profile: its list of tools denies the others, then come its own rules', async () => {
    const { profiles } = await parse(
      '{"profiles": {\n"a": {"prompt": "p", "tools": ["read", "g*", "bash"], "permission": {"bash": "deny"}}}}',
    )
    assert.deepEqual(
      { ...profiles[0]!, rules: [] },
      {
        name: 'a',
        description: '',
        prompt: 'p',
        tools: ['read', 'g*', 'bash'],
        rules: [],
        from: 'sluice.jsonc:2',
      },
    )
    assert.deepEqual(
      profiles[0]!.rules.map(({ permission, action, from }) => `${permission} ${action} ${from}`),
      [
        ...['write', 'edit', 'webfetch', 'todowrite', 'task', 'skill'].map((name) => `${name} deny the profile a`),
        'bash deny sluice.jsonc:2',
      ],
    )
  })
})

test('a file with far too many rules is refused at once', async () => {
  const rules = Object.fromEntries(Array.from({ length: 65_000 }, (_, index) => [`r${index}`, 'deny']))
  const from = performance.now()
  assert.match(await fails(JSON.stringify({ permission: { bash: rules } })), /there are 65000 rules; at most 1000 are taken/)
  assert.match(await fails(JSON.stringify({ profiles: { a: { permission: { bash: rules } } } })), /there are 65000 rules/)
  assert.ok(performance.now() - from < 10_000)
})

test('a file with far too many of anything is refused at once', async () => {
  const some = (count: number, of: (index: number) => unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, of(at)]))
  const rules = some(999, () => 'deny')
  const files: [object, RegExp][] = [
    [{ profiles: some(60, () => ({ permission: { bash: rules } })) }, /there are 59940 rules; at most 1000 are taken/],
    [{ profiles: some(30_000, () => ({})) }, /profiles: there are 30000; at most 1000 are taken/],
    [{ mcp: some(20_000, () => ({ url: 'http://a.b' })) }, /mcp: there are 20000; at most 1000 are taken/],
    [{ redact: { patterns: Object.keys(some(60_000, () => 0)) } }, /redact\.patterns: there are 60000; at most 1000 are taken/],
    [{ tools: Object.keys(some(60_000, () => 0)) }, /tools: there are 60000; at most 1000 are taken/],
    [{ instructions: Object.keys(some(60_000, () => 0)) }, /instructions: there are 60000/],
    [{ env: Object.keys(some(60_000, () => 0)) }, /env: there are 60000/],
  ]
  for (const [file, told] of files) {
    const from = performance.now()
    assert.match(await fails(JSON.stringify(file)), told)
    assert.ok(performance.now() - from < 5000, `${String(told)} took ${performance.now() - from} ms`)
  }
})
