import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRule } from './rules.ts'
import { bash, broker, decision, file, question, scene, settled } from './support.test.ts'

test('what rules allow is granted by them, with an event for each permission', () => {
  const one = broker(['bash:ls *=allow', 'external_directory:/opt/*=allow'])
  const { answer, events } = settled(one.decide(bash('ls -la /opt/x | ls')))
  assert.deepEqual(answer, { decision: 'allow', by: 'rule' })
  assert.deepEqual(
    events.map(({ decision: said, by, permission, patterns, name, input }) => ({ said, by, permission, patterns, name, input })),
    [
      { permission: 'bash', patterns: ['ls -la /opt/x', 'ls'] },
      { permission: 'external_directory', patterns: ['/opt/x'] },
    ].map((part) => ({ said: 'allow', by: 'rule', ...part, name: 'bash', input: { command: 'ls -la /opt/x | ls' } })),
  )
  assert.deepEqual(events[0]?.rules, [{ permission: 'bash', pattern: 'ls *', action: 'allow' }])
})

test('a deny is final, names its rule, and beats auto-approve and dry run', () => {
  for (const settings of [{}, { autoApprove: true }, { interactive: () => true }, { gates: { dryRun: true } }]) {
    const { answer, events } = settled(broker(['bash=allow', 'bash:rm *=deny'], settings).decide(bash('ls && rm x')))
    assert.equal(answer.decision, 'reject')
    assert.equal(answer.by, 'rule')
    assert.match(answer.text ?? '', /the rule "bash:rm \*=deny" denies bash "rm x"/)
    assert.deepEqual(
      events.map(({ patterns, rules }) => [patterns, rules]),
      [[['rm x'], [{ permission: 'bash', pattern: 'rm *', action: 'deny' }]]],
    )
  }
})

test('a deny of a command holds however the command is reached', () => {
  const one = broker(['bash=allow', 'external_directory=allow', 'secret_file=allow', 'bash:rm *=deny'])
  const ways = [
    'rm x',
    '\\rm x',
    "'r'm x",
    '/bin/rm x',
    'a; rm x',
    '$(rm x)',
    'echo "$(rm x)"',
    "bash -c 'rm x'",
    "eval 'rm x'",
    'sudo rm x',
    'env rm x',
    'xargs rm',
    'find . -exec rm {} +',
    'timeout 5 rm x',
    'f() { rm x; }',
    'bash <<< "rm x"',
    "trap 'rm x' EXIT",
    'if a; then rm x; fi',
    'busybox rm x',
    '( (rm x) )',
  ]
  for (const way of ways) assert.equal(settled(one.decide(bash(way))).answer.by, 'rule', way)
  // What may hide it is left to a person.
  for (const way of ['$x y', 'eval "$x"', 'a | sh', 'PATH=. ls', 'r?  x'])
    assert.equal(settled(one.decide(bash(way))).answer.by, 'headless', way)
  assert.equal(decision(one, bash('make')), 'allow')
})

test('a rule for everything allows what cannot be known, a narrower one does not', () => {
  assert.equal(decision(broker(['bash=allow']), bash('eval "$x"')), 'reject') // the word may be any file
  assert.equal(decision(broker(['bash=allow', 'external_directory=allow', 'secret_file=allow']), bash('eval "$x"')), 'allow')
  assert.equal(decision(broker(['bash:eval *=allow', 'external_directory=allow', 'secret_file=allow']), bash('eval "$x"')), 'reject')
})

test('a program that runs another is allowed together with it', () => {
  const one = broker(['timeout *', 'find *', 'bash *', 'xargs *', 'env *', 'ls *', 'git *'].map((pattern) => `bash:${pattern}=allow`))
  for (const text of [
    'timeout 5 ls',
    'find . -name "*.ts"',
    'find src -exec ls -d src \\;',
    "bash -c 'ls; ls src'",
    'bash script.sh',
    'env LANG=C ls',
    'ls | xargs ls',
    'git log',
  ]) {
    assert.equal(decision(one, bash(text)), 'allow', text)
  }
  for (const text of [
    'timeout 5 rm x',
    'timeout --weird 5 ls',
    'find . -exec rm x \\;',
    "bash -c 'ls; rm x'",
    'ls | bash',
    'bash -i',
    'env PATH=. ls',
    'ls | xargs git add',
    'ls | xargs -I{} ls {}',
    'xargs timeout 5',
    'git -c core.pager=x log',
    'git submodule foreach ls',
  ]) {
    assert.equal(decision(one, bash(text)), 'reject', text)
  }
})

test('nobody there: the refusal says what would allow it', () => {
  const { answer, events } = settled(broker([]).decide(bash('git push origin main')))
  assert.equal(answer.by, 'headless')
  assert.match(answer.text ?? '', /bash "git push origin main"/)
  assert.match(answer.text ?? '', /--permission 'bash:git push \*=allow'/)
  assert.deepEqual(
    events.map(({ decision: said, permission, patterns }) => [said, permission, patterns]),
    [['reject', 'bash', ['git push origin main']]],
  )
  assert.match(settled(broker([]).decide(bash('eval "$x"'))).answer.text ?? '', /--permission 'bash=allow'/)
})

test('auto-approve answers what rules leave at ask, and says that it was the policy', () => {
  const { answer, events } = settled(broker([], { autoApprove: true }).decide(bash('make > out.txt')))
  assert.deepEqual(answer, { decision: 'allow', by: 'policy' })
  assert.deepEqual(
    events.map(({ by, permission, patterns }) => [by, permission, patterns]),
    [
      ['policy', 'bash', ['make']],
      ['policy', 'write', ['/p/out.txt']],
    ],
  )
})

test('paths outside the project and secrets ask, whichever tool reaches them', () => {
  const one = broker([])
  assert.equal(decision(one, file('read', '/p/a.ts')), 'allow')
  for (const path of ['/etc/passwd', '/p/.env', '/p/../x', '/private']) assert.equal(decision(one, file('read', path)), 'reject', path)
  assert.equal(decision(broker(['external_directory:/opt/*=allow']), file('read', '/opt/a/b')), 'allow')
  assert.equal(decision(broker(['external_directory:~/notes/*=allow']), file('read', '/h/notes/a')), 'allow')
  assert.equal(decision(broker(['secret_file:.env=allow']), file('read', '/p/.env')), 'allow')
  assert.equal(decision(broker([], { scene: { ...scene, folders: ['/h/skills'] } }), file('read', '/h/skills/a')), 'allow')
  assert.equal(decision(broker(['bash:cat *=allow']), bash('cat /etc/passwd')), 'reject')
  assert.equal(decision(broker(['bash:cat *=allow']), bash('cat a', { command: { text: 'cat a', cwd: '/tmp' } })), 'reject')
})

test('links are followed before a parent folder is taken', () => {
  const links: Record<string, string> = { '/p/a/up': '/p', '/p/etc': '/etc', '/p/note': '/p/.env' }
  const realPath = (path: string): string => links[path] ?? path
  const one = broker(['bash:cat *=allow', 'write=allow'], { scene: { ...scene, realPath } })
  for (const text of ['cat a/up/../x', 'cat etc', 'cat note', 'cat x > etc']) assert.equal(decision(one, bash(text)), 'reject', text)
  assert.equal(decision(one, bash('cat a/up')), 'allow')
})

test('a pattern of the shell is looked at file by file when the files are known', () => {
  const names: Record<string, string[]> = {
    '/p': ['.env', 'a', 'b', 'src', 'out'],
    '/p/src': ['id_rsa', 'x.ts'],
    '/p/out': ['y'],
    '/': ['etc', 'p'],
  }
  const realPath = (path: string): string => path.replace(/^\/p\/out/, '/elsewhere')
  const one = broker(['bash:cat *=allow'], { scene: { ...scene, realPath, list: (folder) => names[folder] ?? [] } })
  for (const text of ['cat [ab]', 'cat s*', 'cat src/*.ts', 'cat missing*']) assert.equal(decision(one, bash(text)), 'allow', text)
  for (const text of [
    'cat *',
    'cat .*',
    'cat .en[v]',
    'cat src/i*',
    'cat */*',
    'cat */x.ts',
    'cat /*',
    'cat o*',
    'cat */../..',
    'cat [[:alpha:]]ut',
  ])
    assert.equal(decision(one, bash(text)), 'reject', text)
  assert.equal(decision(broker(['bash:cat *=allow']), bash('cat *')), 'reject')
})

test('a redirect needs what writing the file needs, by its path in the project too', () => {
  assert.equal(decision(broker(['bash:ls *=allow']), bash('ls > out/x')), 'reject')
  assert.equal(decision(broker(['bash:ls *=allow', 'write:out/*=allow']), bash('ls > out/x')), 'allow')
  assert.equal(decision(broker(['bash:ls *=allow', 'write:/p/out/*=allow']), bash('ls > out/x')), 'allow')
  assert.equal(decision(broker(['bash:ls *=allow', 'write:out/*=allow']), bash('ls > out/../x')), 'reject')
})

test('harmless builtins need no leave beside an allowed command, but may be denied, and ask when they are alone', () => {
  assert.equal(decision(broker(['bash:ls *=allow']), bash('cd src && ls')), 'allow')
  assert.equal(decision(broker(['bash:ls *=allow', 'bash:cd *=deny']), bash('cd src && ls')), 'reject')
  assert.equal(decision(broker(['bash:ls *=allow']), bash('cd src')), 'reject')
  assert.equal(decision(broker(['bash:ls *=allow']), bash('')), 'reject')
})

test('the rules are those of the profile that asks', () => {
  const one = broker([], { rulesFor: (profile) => [parseRule(profile === 'reviewer' ? 'bash=deny' : 'bash=allow')] })
  assert.equal(decision(one, bash('ls', { profile: 'reviewer' })), 'reject')
  assert.equal(decision(one, bash('ls')), 'allow')
})

test('gates come first: read-only refuses, a dry run answers in place of the call', () => {
  const refused = settled(broker(['write=allow'], { gates: { readOnly: true }, autoApprove: true }).decide(file('write', '/p/a')))
  assert.deepEqual([refused.answer.decision, refused.answer.by], ['reject', 'policy'])
  assert.equal(refused.events.length, 1)
  const dry = settled(broker([], { gates: { dryRun: true } }).decide(file('write', '/p/a')))
  assert.deepEqual(dry.answer, {
    decision: 'allow',
    by: 'policy',
    instead: { dry_run: true, tool: 'write', arguments: { filePath: '/p/a' } },
  })
  assert.deepEqual(dry.events, [])
})

test('what cannot be allowed by itself is refused, and the stream says so, whoever would allow it', () => {
  for (const settings of [{ autoApprove: true }, { interactive: () => true }]) {
    const { answer, events } = settled(broker(['*=allow'], settings).decide({ ...bash('ls'), onlyNo: 'not now' }))
    assert.deepEqual([answer.decision, answer.by, events.map(({ decision }) => decision)], ['reject', 'policy', ['reject']])
    assert.equal(answer.text, 'not now')
  }
})

test('control characters are refused whatever the rules say', () => {
  const { answer } = settled(broker(['*=allow'], { autoApprove: true }).decide(bash('ls \0')))
  assert.deepEqual([answer.decision, answer.by], ['reject', 'policy'])
})

test('somebody there: the question names what is asked and offers once, always and no', () => {
  const { request } = question(broker(['bash:ls *=allow'], { interactive: () => true }).decide(bash('ls && git push origin')))
  assert.match(request.question ?? '', /^Allow bash: "git push origin"/)
  assert.deepEqual([request.permission, request.patterns], ['bash', ['git push origin']])
  assert.deepEqual(
    request.options.map(({ id, kind }) => [id, kind]),
    [
      ['allow_once', 'allow_once'],
      ['allow_always', 'allow_always'],
      ['reject_once', 'reject_once'],
    ],
  )
  assert.match(request.options[1]?.label ?? '', /git push \*/)
})

test('what cannot be known is never offered for always', () => {
  const { request } = question(broker([], { interactive: () => true }).decide(bash('eval "$x"')))
  assert.deepEqual(
    request.options.map(({ kind }) => kind),
    ['allow_once', 'reject_once'],
  )
})

test('once is once', () => {
  const one = broker([], { interactive: () => true })
  const ask = bash('make')
  question(one.decide(ask))
  const [first] = one.choose(ask.id, { option: 'allow_once', by: 'terminal' })
  assert.deepEqual(first?.answer, { decision: 'allow', by: 'terminal' })
  assert.deepEqual([first?.events[0]?.id, first?.events[0]?.scope, first?.events[0]?.rules], [ask.id, 'once', undefined])
  question(one.decide(bash('make')))
  assert.deepEqual(one.choose(ask.id, { option: 'allow_once', by: 'terminal' }), [], 'a question is answered once')
})

test('always covers later calls and open questions alike, and no deny', () => {
  const one = broker(['bash:git push --force *=deny'], { interactive: () => true })
  const [first, alike, other] = [bash('git push a'), bash('git push b'), bash('make')]
  for (const ask of [first, alike, other]) question(one.decide(ask))
  const done = one.choose(first.id, { option: 'allow_always', by: 'user' })
  assert.deepEqual(
    done.map(({ ask, answer }) => [ask.id, answer.decision, answer.by]),
    [
      [first.id, 'allow', 'user'],
      [alike.id, 'allow', 'rule'],
    ],
  )
  assert.deepEqual(done[0]?.events[0]?.rules, [{ permission: 'bash', pattern: 'git push *', action: 'allow' }])
  assert.equal(done[1]?.events[0]?.id, alike.id)
  assert.deepEqual(
    one.open().map(({ id }) => id),
    [other.id],
  )
  assert.equal(decision(one, bash('git push c')), 'allow')
  assert.equal(decision(one, bash('git push --force c')), 'reject')
  assert.deepEqual(one.granted(), [{ permission: 'bash', pattern: 'git push *', action: 'allow' }])
})

const own = [
  { id: 'for-ever', kind: 'allow_always' as const, label: 'For ever' },
  { id: 'yes', kind: 'allow_once' as const, label: 'Yes' },
  { id: 'no', kind: 'reject_once' as const, label: 'No' },
  { id: 'halt', kind: 'cancel' as const, label: 'Halt' },
]

test("an agent's own options are what may be chosen, and make no rule of ours", () => {
  for (const [word, id, decision, scope, stop] of [
    ['for-ever', 'for-ever', 'allow', 'always', undefined],
    ['allow', 'yes', 'allow', 'once', undefined],
    ['reject', 'no', 'reject', 'once', undefined],
    ['halt', 'halt', 'reject', 'once', true],
  ] as const) {
    const one = broker([], { interactive: () => true })
    const ask = { ...bash('make'), options: own }
    assert.deepEqual(question(one.decide(ask)).request.options, own)
    const [done] = one.choose(ask.id, { option: word, by: 'control' })
    assert.deepEqual([done?.answer.decision, done?.answer.option, done?.answer.stop], [decision, id, stop])
    assert.deepEqual([done?.events[0]?.option, done?.events[0]?.scope, done?.events[0]?.rules], [id, scope, undefined])
    assert.deepEqual(one.granted(), [])
  }
})

test('what a rule decides is said by the option of this call alone, and told with all that was offered', () => {
  const ask = { ...bash('make'), options: own }
  for (const [rule, id] of [
    ['bash=allow', 'yes'],
    ['bash=deny', 'no'],
  ] as const) {
    const { events } = settled(broker([rule]).decide(ask))
    assert.deepEqual([events[0]?.option, events[0]?.options], [id, own])
  }
  const onlyForEver = { ...ask, options: own.filter((option) => option.id !== 'yes') }
  const { answer } = settled(broker([], { autoApprove: true }).decide(onlyForEver))
  assert.deepEqual([answer.decision, answer.by], ['reject', 'policy'])
})

test('a no is told to the model, with the words of whoever said it', () => {
  const one = broker([], { interactive: () => true })
  const ask = bash('make')
  question(one.decide(ask))
  const [refused] = one.choose(ask.id, { option: 'reject_once', by: 'user', text: 'use npm', stop: true })
  assert.deepEqual(refused?.answer, { decision: 'reject', by: 'user', text: 'use npm', stop: true })
  assert.deepEqual([refused?.events[0]?.decision, refused?.events[0]?.text, refused?.events[0]?.stop], ['reject', 'use npm', true])
})

test('a question can be withdrawn', () => {
  const one = broker([], { interactive: () => true })
  const ask = bash('make')
  question(one.decide(ask))
  assert.equal(one.withdraw(ask.id, 'cancelled', 'policy')?.answer.decision, 'cancelled')
  assert.equal(one.withdraw(ask.id, 'cancelled', 'policy'), undefined)
  assert.deepEqual(one.open(), [])
})
