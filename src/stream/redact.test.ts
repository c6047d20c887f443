import { test } from 'node:test'
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Event } from '../model/event.ts'
import { createRedactor, type LinePattern } from './redact.ts'
import { isDelta } from './redact-stream.ts'

const abc = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const of = (length: number): string => abc.repeat(5).slice(0, length)
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${`${of(64)}\n`.repeat(6)}-----END RSA PRIVATE KEY-----`
// Put together here, so that no file holds anything that looks like a key.
const samples: Record<string, string[]> = {
  anthropic: [`sk-ant-api03-${of(80)}`],
  openrouter: [`sk-or-v1-${of(60)}`],
  openai: [`sk-proj-${of(60)}`, `sk-${of(48)}`, `sk-svcacct-${of(40)}`],
  google: [`AIza${of(35)}`],
  github: [`ghp_${of(36)}`, `gho_${of(36)}`, `ghu_${of(36)}`, `ghs_${of(36)}`, `github_pat_${of(22)}_${of(59)}`],
  gitlab: [`glpat-${of(20)}`],
  slack: [`xoxb-1234567890-${of(24)}`, `xapp-1-${of(30)}`],
  aws: [`AKIA${'ABCD2345'.repeat(2)}`, `ASIA${'ABCD2345'.repeat(2)}`],
  stripe: [`sk_live_${of(24)}`],
  npm: [`npm_${of(36)}`],
  pypi: [`pypi-${of(120)}`],
  huggingface: [`hf_${of(34)}`],
  jwt: [`eyJ${of(30)}.eyJ${of(50)}.${of(43)}`],
  'private-key': [pem, pem.replaceAll('\n', '\\n'), pem.replace(/-----END.*/, '')],
  value: ['my+very/own=secret'],
}
const secrets = Object.values(samples).flat()
const options = { values: ['my+very/own=secret', 'short'] }
const delta = (text: string, more: object = {}): Event => ({ v: 1, seq: 1, kind: 'text.delta', session: 's', text, ...more }) as Event
const textOf = (events: readonly Event[]): string =>
  events.map((event) => (event.kind === 'text.delta' || event.kind === 'tool.delta' ? event.text : '')).join('')

test('every known shape is found by its name, between other text and alone', () => {
  for (const [rule, texts] of Object.entries(samples))
    for (const secret of texts)
      for (const [before, after] of [
        ['', ''],
        ['key=', ' and'],
        ['"', '",'],
        ['\\n', '\n'],
        ['\u001b[32m', '\u001b[0m'],
        ['%3D', '&x=1'],
      ] as const) {
        const { text, hits } = createRedactor(options).text(before + secret + after)
        assert.ok(text.startsWith(`${before}[redacted:${rule}]`), `${rule}: ${before}${secret}`)
        assert.deepEqual(hits, { [rule]: 1 })
      }
})

test('what stands around a secret in a header, an assignment or an address is kept', () => {
  const redact = (text: string): string => createRedactor().text(text).text
  assert.equal(redact('Authorization: Bearer abc.def-123'), 'Authorization: Bearer [redacted:authorization]')
  assert.equal(redact(`-H "authorization: Basic ${of(12)}=="`), '-H "authorization: Basic [redacted:authorization]"')
  assert.equal(redact('{\\"Authorization\\": \\"token 1234567\\"}'), '{\\"Authorization\\": \\"token [redacted:authorization]\\"}')
  assert.equal(redact('postgres://me:pass%20word@host:5432/db'), 'postgres://me:[redacted:url-password]@host:5432/db')
  assert.equal(redact(`aws_secret_access_key = ${of(40)}`), 'aws_secret_access_key = [redacted:aws-secret]')
})

test('ordinary text is left alone', () => {
  for (const text of [
    'the task-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa is done',
    'sk-learn, sk-SK and sk-some-long-name-in-kebab-case-that-goes-on',
    'npm_config_registry and npm_lifecycle_event, hf_hub_download, pypi-server',
    'authorization: none; the Authorization header; Authorization: Bearer',
    'http://localhost:8080/a@b and https://example.com/x:y@z, git@github.com:me/it.git',
    'grep -r "-----BEGIN PRIVATE KEY-----" . finds them',
    'eyJhbGciOi.short.no',
    'a short value',
    'AKIA2 ghp_abc xoxb- glpat-',
  ])
    assert.deepEqual(createRedactor(options).text(text), { text, hits: {} })
})

test('secrets are found anywhere in an event, also in keys, and counted on it', () => {
  const [key] = samples['anthropic']!
  const redactor = createRedactor(options)
  const event = {
    v: 1,
    seq: 1,
    kind: 'tool.start',
    session: 's',
    call: 'c',
    name: 'bash',
    toolKind: 'execute',
    input: {
      command: `curl -d ${key}`,
      deep: [{ [key!]: 1, list: ['x', key] }],
      headers: { Authorization: 'Bearer abcdefgh' },
      pairs: ['Authorization', 'Basic abcdefgh', { name: 'authorization', value: 'token abcdefgh' }],
    },
  } as unknown as Event
  const copy = structuredClone(event)
  const [told] = redactor.event(event)
  assert.deepEqual(told, {
    ...event,
    input: {
      command: 'curl -d [redacted:anthropic]',
      deep: [{ '[redacted:anthropic]': 1, list: ['x', '[redacted:anthropic]'] }],
      headers: { Authorization: 'Bearer [redacted:authorization]' },
      pairs: ['Authorization', 'Basic [redacted:authorization]', { name: 'authorization', value: 'token [redacted:authorization]' }],
    },
    ext: { redacted: { anthropic: 3, authorization: 3 } },
  })
  assert.deepEqual(event, copy)
  assert.deepEqual(redactor.counts(), { anthropic: 3, authorization: 3 })
  assert.deepEqual(redactor.notice(), {
    level: 'info',
    code: 'redacted',
    text: 'redacted: anthropic 3, authorization 3',
    data: { anthropic: 3, authorization: 3 },
  })
})

test('an event without a secret is the same object, however deep it is', () => {
  let deep: unknown = 'end'
  for (let depth = 0; depth < 20_000; depth++) deep = [deep]
  const event = { v: 1, seq: 1, kind: 'tool.end', call: 'c', status: 'ok', data: { deep, __proto__: null } } as unknown as Event
  const redactor = createRedactor(options)
  assert.equal(redactor.event(event)[0], event)
  assert.equal(redactor.notice(), undefined)
  let hidden: unknown = samples['github']![0]
  for (let depth = 0; depth < 20_000; depth++) hidden = { a: hidden }
  redactor.event({ ...event, data: hidden } as Event)
  assert.deepEqual(redactor.counts(), { github: 1 })
})

test('pictures are searched for exact values only', () => {
  const picture = (data: string): Event =>
    ({ v: 1, seq: 1, kind: 'tool.end', call: 'c', status: 'ok', content: [{ type: 'image', mime: 'image/png', data }] }) as unknown as Event
  const shaped = picture(samples['github']![0]!)
  assert.equal(createRedactor(options).event(shaped)[0], shaped)
  assert.deepEqual(createRedactor(options).event(picture(`a${options.values[0]}b`))[0], {
    ...picture('a[redacted:value]b'),
    ext: { redacted: { value: 1 } },
  })
})

const words = fc.constantFrom(
  'the ',
  's',
  'sk-',
  'eyJ',
  '-----',
  '\n',
  'A',
  'gh',
  'https://a:',
  '\\n',
  'authorization: ',
  'my+very',
  '.',
  'token ',
  ' ',
)
const secret = fc.constantFrom(...secrets)
const textWith = (part: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
const cutsOf = fc.array(fc.nat(200), { maxLength: 60 })

function pieces(text: string, cuts: readonly number[]): string[] {
  const out: string[] = []
  let at = 0
  for (const cut of cuts) {
    if (at >= text.length) break
    out.push(text.slice(at, at + cut))
    at += cut
  }
  return [...out, text.slice(at)]
}

test('however a text is cut into deltas, what comes out is the redacted whole', () => {
  fc.assert(
    fc.property(textWith(fc.oneof(words, secret, fc.string())), cutsOf, (text, cuts) => {
      const redactor = createRedactor(options)
      const told = pieces(text, cuts).flatMap((piece) => redactor.event(delta(piece)))
      const [end] = [{ v: 1, seq: 9, kind: 'text.end', session: 's', streamed: true, text } as Event]
      const last = redactor.event(end!)
      const expected = createRedactor(options).text(text)
      assert.equal(textOf([...told, ...last]), expected.text)
      assert.equal((last.at(-1) as { text: string }).text, expected.text)
      assert.deepEqual(redactor.counts(), expected.hits)
      assert.deepEqual(redactor.end(), [])
    }),
    { numRuns: 3000 },
  )
})

test('deltas that are looked at together come out as each alone', () => {
  const piece = fc.oneof(
    fc.constantFrom(...secrets.map((secret) => secret.slice(0, 12)), ...secrets, 's', 'aws', ' https://a:b@c ', 'a word\n', '', '-'),
    fc.string({ maxLength: 8 }),
  )
  const more = fc.constantFrom({}, {}, {}, { block: 1 }, { run: secrets[0] }, { note: secrets[0] }, { ext: { a: secrets[0] } })
  const kind = fc.constantFrom('text.delta', 'text.delta', 'text.delta', 'thought.delta', 'tool.delta')
  const origin = fc.constantFrom(undefined, { dialect: 'x', record: 1 }, { dialect: 'x', record: 2 }, { dialect: secrets[0], record: 1 })
  const event = fc.tuple(piece, more, kind, origin).map(([text, rest, of, from]) => delta(text, { kind: of, origin: from, ...rest }))
  const patterns: LinePattern[] = [{ name: 'word', *find() {} }]
  const property = fc.property(fc.array(fc.array(event, { minLength: 1, maxLength: 12 })), fc.boolean(), (bursts, withPatterns) => {
    const given = withPatterns ? { ...options, patterns } : options
    const [one, all] = [createRedactor(given), createRedactor(given)]
    for (const burst of bursts) assert.deepEqual(all.deltas(burst.filter(isDelta)), burst.flatMap(one.event))
    assert.deepEqual(all.end(), one.end())
    assert.deepEqual(all.counts(), one.counts())
  })
  fc.assert(property, { numRuns: 500 })
})

test('what introduces a secret may be told before it', () => {
  const redactor = createRedactor(options)
  const told = ['a', `uthorization: token ${of(20)} s`, 'o'].flatMap((piece) => redactor.event(delta(piece)))
  assert.equal(textOf([...told, ...redactor.end()]), 'authorization: token [redacted:authorization] so')
})

test('a text without secrets comes out in the same pieces, at the latest with the end of its block', () => {
  fc.assert(
    fc.property(textWith(fc.oneof(words, fc.string())), cutsOf, (text, cuts) => {
      const redactor = createRedactor(options)
      fc.pre(createRedactor(options).text(text).text === text)
      const deltas = pieces(text, cuts).map((piece, seq) => delta(piece, { seq }))
      const end = { v: 1, seq: 99, kind: 'message.end', session: 's' } as Event
      assert.deepEqual(
        [...deltas, end].flatMap((event) => redactor.event(event)),
        [...deltas, end],
      )
    }),
    { numRuns: 500 },
  )
})

test('ordinary deltas pass at once, and a secret is told as soon as it has ended', () => {
  const redactor = createRedactor(options)
  for (const text of ['Hello', ' world', ', this is ', 'fine.']) assert.deepEqual(redactor.event(delta(text)), [delta(text)])
  const [key] = samples['github']!
  assert.deepEqual(redactor.event(delta(`now ${key!.slice(0, 10)}`)), [])
  assert.deepEqual(redactor.event(delta(key!.slice(10))), [])
  assert.equal(textOf(redactor.event(delta(' there'))), 'now [redacted:github] there')
})

test('streams that run side by side do not disturb each other, and other events pass by', () => {
  const [key] = samples['github']!
  const [first, second] = [key!.slice(0, 20), key!.slice(20)]
  const output = (call: string, text: string, stream: string): Event =>
    ({ v: 1, seq: 1, kind: 'tool.delta', session: 's', call, of: 'output', stream, text }) as Event
  const redactor = createRedactor(options)
  const told: Event[] = []
  const tell = (event: Event): number => told.push(...redactor.event(event))
  tell(output('a', first, 'stdout'))
  tell(output('b', first, 'stdout'))
  tell(output('a', first, 'stderr'))
  tell({ v: 1, seq: 1, kind: 'permission.request', session: 's', call: 'b', id: 'p', options: [] } as unknown as Event)
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ['permission.request'],
  )
  tell(output('a', second, 'stdout'))
  tell(output('b', `${second} b`, 'stdout'))
  tell({ v: 1, seq: 1, kind: 'tool.end', session: 's', call: 'a', status: 'ok' } as Event)
  assert.equal(textOf(told), '[redacted:github] b[redacted:github]' + first)
  assert.equal(told.at(-1)?.kind, 'tool.end')
})

test('what waits in any lane is told before its session ends', () => {
  const redactor = createRedactor(options)
  assert.deepEqual(redactor.event(delta('s', { agent: 'sub' })), [])
  assert.deepEqual(redactor.event(delta('s', { session: 'other' })), [])
  const end = { v: 1, seq: 2, kind: 'session.end', session: 's' } as Event
  assert.deepEqual(redactor.event(end), [delta('s', { agent: 'sub' }), end])
  assert.deepEqual(redactor.end(), [delta('s', { session: 'other' })])
})

test('a line of JSON is changed only when it holds a secret, whatever its escapes', () => {
  const [key] = samples['anthropic']!
  const redactor = createRedactor(options)
  const clean = '{ "a" : 12345678901234567890, "b": "x\\u002dy\\/z" }'
  assert.deepEqual(redactor.line(clean), { text: clean, hits: {} })
  assert.deepEqual(redactor.line(`{"n":12345678901234567890,"k":"${key!.replace('-', '\\u002d')}"}`), {
    text: '{"n":12345678901234567890,"k":"[redacted:anthropic]"}',
    hits: { anthropic: 1 },
  })
  assert.equal(redactor.line('{"k":"my+very\\/own=secret"}').text, '{"k":"[redacted:value]"}')
  assert.equal(redactor.line('{"authorization":"Bearer abcdefgh"}').text, '{"authorization":"Bearer [redacted:authorization]"}')
  assert.equal(redactor.line('[["authorization","Bearer abcdefgh"]]').text, '[["authorization","Bearer [redacted:authorization]"]]')
  assert.equal(redactor.line(`not json ${key}`).text, 'not json [redacted:anthropic]')
  const event = { v: 1, seq: 1, kind: 'raw', type: 'x', why: 'unknown', raw: `{"k":"${key}"}` } as Event
  assert.deepEqual(redactor.event(event)[0], { ...event, raw: '{"k":"[redacted:anthropic]"}', ext: { redacted: { anthropic: 1 } } })
})

test('patterns of the user are matched line by line, also when a line comes in pieces', () => {
  const patterns = [
    {
      name: 'ticket',
      *find(line: string) {
        for (const { index, 0: found } of line.matchAll(/^id: \w+|T-\d+/g)) yield { start: index, end: index + found.length }
      },
    },
  ]
  const text = 'id: abc and T-12\nsee T-7, id: x\nid: y'
  const expected = '[redacted:ticket] and [redacted:ticket]\nsee [redacted:ticket], id: x\n[redacted:ticket]'
  assert.equal(createRedactor({ patterns }).text(text).text, expected)
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 20 }), (cuts) => {
      const redactor = createRedactor({ patterns })
      assert.equal(textOf([...pieces(text, cuts).flatMap((piece) => redactor.event(delta(piece))), ...redactor.end()]), expected)
    }),
  )
})

test('nothing takes more than linear time', () => {
  for (const unit of [
    'eyJ-',
    'eyJ',
    'eyJaaaaaaaaaa.',
    'sk-',
    '\\nsk-',
    '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAA',
    '://a:',
    'authorization: ',
    '-',
  ]) {
    const started = performance.now()
    const redactor = createRedactor(options)
    const text = unit.repeat(Math.ceil(200_000 / unit.length))
    redactor.text(text)
    for (let at = 0; at < text.length; at += 50) redactor.event(delta(text.slice(at, at + 50)))
    assert.ok(performance.now() - started < 5000, unit)
  }
})

test('ids and closed words stay, whatever a pattern or a shape matches; the exact value of a key does not', () => {
  const everything: LinePattern = {
    name: 'all',
    *find(line) {
      if (line !== '') yield { start: 0, end: line.length }
    },
  }
  const looksLikeKey = `sk-ant-${'a1'.repeat(12)}`
  const redactor = createRedactor({ patterns: [everything], values: ['the-very-key-0815'] })
  const [told] = redactor.event({
    v: 1,
    seq: 7,
    kind: 'permission.request',
    session: 'ses_0123456789abcdefghij',
    call: looksLikeKey,
    message: 'msg_the-very-key-0815',
    synthetic: 'policy:limits',
    id: 'per_1',
    toolKind: 'execute',
    name: 'bash',
    question: 'Allow it?',
    options: [{ id: 'allow_once', kind: 'allow_once', label: 'Allow once' }],
    suggestions: [{ permission: 'bash', pattern: 'ls *', action: 'allow' }],
    input: { command: 'ls' },
  })
  assert.deepEqual(told, {
    v: 1,
    seq: 7,
    kind: 'permission.request',
    session: 'ses_0123456789abcdefghij',
    call: looksLikeKey,
    message: 'msg_[redacted:value]',
    synthetic: 'policy:limits',
    id: 'per_1',
    toolKind: 'execute',
    name: '[redacted:all]',
    question: '[redacted:all]',
    options: [{ id: 'allow_once', kind: 'allow_once', label: '[redacted:all]' }],
    suggestions: [{ permission: '[redacted:all]', pattern: '[redacted:all]', action: 'allow' }],
    input: { command: '[redacted:all]' },
    ext: { redacted: { value: 1, all: 6 } },
  })
})

test('a secret of a known shape is still taken out of what an agent reports as its state', () => {
  const [told] = createRedactor().event({ v: 1, seq: 1, kind: 'report', type: 'state', state: `with sk-ant-${'a1'.repeat(12)}` })
  assert.equal(told?.kind === 'report' && told.state, 'with [redacted:anthropic]')
})
