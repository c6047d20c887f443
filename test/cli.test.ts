import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { command, env, fixture, scratch, shell, sluice, start } from './run.ts'
import { quote } from './quote.ts'

const sample = fixture('claude/2.1.325/g-subagent-fg.ndjson')
const appctl = ['{"kind":"user_prompt","text":"hi"}', '{"kind":"assistant_message","text":"hello"}', '{"kind":"done"}', ''].join('\n')

test('help and version', () => {
  assert.match(sluice(['--version']).stdout, /^\d+\.\d+\.\d+\n$/)
  for (const args of [
    ['--help'],
    ['convert', '--help'],
    ['validate', '--help'],
    ['detect', '-h'],
    ['schema', '--help'],
    ['tour', '--help'],
  ]) {
    const { stdout, status } = sluice(args)
    assert.equal(status, 0)
    assert.match(stdout, /Examples:/)
  }
  assert.equal(sluice([]).status, 2)
  assert.equal(sluice(['help', 'convert']).stdout, sluice(['convert', '--help']).stdout)
  assert.equal(sluice(['help', 'model', 'serve']).stdout, sluice(['model', 'serve', '--help']).stdout)
  for (const args of [['help'], ['help', '--help'], ['help', 'help']]) assert.equal(sluice(args).stdout, sluice(['--help']).stdout)
})

test('wrong usage is exit 2 and names the nearest', () => {
  for (const [args, message] of [
    [['convrt'], /did you mean convert/],
    [['help', 'convrt'], /did you mean convert/],
    [['--versoin'], /"--versoin" is not an option; did you mean --version\?/],
    [['validate', '-dash.ndjson'], /unknown option "-dash\.ndjson"; write a file of this name as "\.\/-dash\.ndjson" \(see --help\)/],
    [['convert', '-dash.ndjson', '--to', 'avenor'], /unknown option "-dash\.ndjson"; write a file of this name as/],
    [['convert', sample, '-to', 'avenor'], /unknown option "-to"; did you mean --to\?/],
    ...['validate', 'show', 'digest', 'watch'].map((command): [string[], RegExp] => [
      [command, sample, '--from', 'claude', '--dialect', 'avenor'],
      /--from "claude" and --dialect "avenor" disagree/,
    ]),
    [['convert', sample, '--to', 'avenor', '--to', 'appctl'], /--to is given twice; it takes one DIALECT \(see --help\)/],
    [['watch', sample, '--session', 'a', '--session', 'a'], /--session is given twice/],
    [['digest', sample, '--json', '--classify'], /--json is for the digest/],
    [['convert', sample, '--to'], /^sluice: --to needs a value: --to DIALECT \(see --help\)\n$/],
    [
      ['convert', sample, '--to', '--strict'],
      /^sluice: --to needs a value: --to DIALECT; if it begins with a dash, write --to=DIALECT \(see/,
    ],
    [['convert', sample, '--strict=1'], /^sluice: --strict takes no value \(see --help\)\n$/],
    [['convert', '-x', sample], /unknown option "-x" \(see --help\)/],
    [['convert', '--too', 'avenor'], /did you mean --to\?/],
    [['convert', sample, '--to', 'avenr'], /did you mean avenor/],
    [['convert', sample], /--to DIALECT/],
    [['convert', sample, sample, '--to', 'avenor'], /too many/],
    [['validate', '--max-line', 'lots', sample], /is not a size/],
    [['convert', '/no/such/file', '--to', 'avenor'], /no such file/],
    [['convert', '/tmp', '--to', 'avenor'], /folder/],
    [['schema', 'nope'], /not a dialect \(known: .*, config, script\)/],
    [['schema', 'confg'], /did you mean config/],
    [['tour', 'extra'], /takes no FILE/],
    // As of a variable that is not set: it must not stand for the folder that one is in.
    [['run', 'hi', '--model', 'script/demo', '--dir', ''], /^sluice: --dir "" names nothing; write --dir DIR \(see --help\)\n$/],
    [['run', 'hi', '--model', 'script/demo', '--sentinel-file', ''], /^sluice: --sentinel-file "" names nothing/],
    [['run', 'hi', '--model', 'script/demo', '--control-socket', ''], /^sluice: --control-socket "" names nothing/],
    [
      ['run', 'hi', '--model', 'script/demo', '--on-milestone', ''],
      /^sluice: --on-milestone "" names nothing; write --on-milestone COMMAND/,
    ],
    [['run', 'hi', '--model', 'script/demo', '--file', sample, '--file', ''], /^sluice: --file "" names nothing/],
    [['control', 'status', '--control-socket', ''], /^sluice: --control-socket "" names nothing/],
    [['convert', sample, '--to', 'avenor', '--losses='], /^sluice: --losses "" names nothing/],
    [['tools', '--settings', ''], /^sluice: --settings "" names nothing/],
    [['trust', ''], /^sluice: DIR is empty; leave it out for the folder you are in\n$/],
    [['trust', '--revoke', ''], /^sluice: DIR is empty/],
    [['skills', '--dir', sample], /^sluice: cannot look into ".*": it is not a folder\n$/],
    [['run', 'hi', '--max-cost=-1'], /^sluice: --max-cost "-1" is not a number from 0 on\n$/],
    [['run', 'hi', '--api-retries', '1.5'], /^sluice: --api-retries "1\.5" is not a whole number from 0 on\n$/],
    [['model', 'serve', 'x.yaml', '--port', '70000'], /^sluice: --port "70000" is not a port; give a number from 0 to 65535\n$/],
  ] as const) {
    const { status, stderr, stdout } = sluice(args)
    assert.match(stderr, message)
    assert.deepEqual([args, status], [args, 2])
    assert.equal(stdout, '')
  }
})

test('detect', () => {
  assert.match(sluice(['detect', sample]).stdout, /^claude 2\.1\.325, confidence 1\.00, 13 records\n$/)
  const json = JSON.parse(sluice(['detect', '--json'], appctl).stdout) as object
  assert.deepEqual(json, { dialect: 'appctl', confidence: 1, records: 3, unreadable: 0 })
  const unknown = sluice(['detect', '--json'], 'hello\nworld\n')
  assert.equal(unknown.status, 1)
  assert.equal((JSON.parse(unknown.stdout) as { dialect: unknown }).dialect, null)
  const evil = sluice(['detect'], readFileSync(sample, 'utf8').replaceAll('2.1.325', '2\\u001b[2J\\u202e'))
  assert.match(evil.stdout, /^claude 2\\u001b\[2J\\u202e, /)
  const mixed = sluice(['detect'], `${appctl}{"event":"tool.call","toolCallId":"x"}\n`)
  assert.match(mixed.stdout, /^mixed: appctl 3, avenor 1/)
  assert.equal(mixed.status, 1)
})

test('detect finds what the others find: behind a long first record, behind much noise; blank lines are empty', () => {
  const long = `{"kind":"user_prompt","text":"${'x'.repeat(3 << 20)}"}\n`
  assert.match(sluice(['detect'], `${long}{"kind":"done"}\n`).stdout, /^appctl, confidence 1\.00, /)
  assert.match(sluice(['detect', scratch('late.ndjson', 'npm warn\n'.repeat(200_000) + appctl)]).stdout, /^appctl, .* 200000 unreadable\n$/)
  const blank = sluice(['detect'], '\n \n\n')
  assert.deepEqual([blank.stdout, blank.stderr, blank.status], ['unknown, 0 records\n', 'sluice: the input is empty\n', 1])
})

test('compressed input and UTF-16 are told as that by every command that reads', () => {
  const zstd = zstdCompressSync(readFileSync(sample))
  const wide = Buffer.from(readFileSync(sample, 'utf8'), 'utf16le')
  const short = zstdCompressSync('{"kind":"done"}\n') // no byte of it ends a line
  for (const [command, code] of [
    [['detect'], 1],
    [['convert', '--to', 'avenor'], 2],
    [['validate'], 2],
    [['show'], 2],
    [['digest'], 2],
    [['watch'], 2],
    [['watch', '--follow'], 2],
  ] as const)
    for (const [input, message] of [
      [zstd, /^sluice: the input looks compressed \(zstd\); unpack it first, for example zstd -dc FILE \| sluice …\n$/],
      [short, /^sluice: the input looks compressed \(zstd\)/],
      [wide, /^sluice: the input looks like UTF-16; convert it to UTF-8 first, for example iconv -f UTF-16LE /],
    ] as const) {
      const { stderr, status } = sluice(command, input)
      assert.match(stderr, message, command.join(' '))
      assert.equal(status, code)
    }
})

test('convert to its own dialect gives the same bytes, whatever is in them', () => {
  const odd = `\ufeff${appctl.replaceAll('\n', '\r\n')}\n\n{"kind":"custom", "n": 12345678901234567890}\n{"kind":"done"}`
  const { stdout, status } = sluice(['convert', '--to', 'appctl'], odd)
  assert.equal(stdout, odd)
  assert.equal(status, 0)
  const alone = '{"kind":"done"}' // the only record, and no line end
  assert.equal(sluice(['convert', '--to', 'appctl', '--from', 'appctl'], alone).stdout, alone)
  const noisy = `log line\n${appctl}{"kind":"done"\n`
  const result = sluice(['convert', '--to', 'appctl'], noisy)
  assert.equal(result.stdout, noisy)
  assert.equal(result.status, 1)
  assert.match(result.stderr, /line 1, byte 0: not JSON/)
})

test('arrays: same bytes with --array, lines without', () => {
  const records = readFileSync(sample, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  for (const text of [JSON.stringify(records), `${JSON.stringify(records, null, 2)}\n`]) {
    assert.equal(sluice(['convert', '--to', 'claude', '--array'], text).stdout, text)
    const lines = sluice(['convert', '--to', 'claude'], text).stdout.trim().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      records,
    )
  }
  const array = sluice(['convert', sample, '--to', 'claude', '--array']).stdout
  assert.deepEqual(JSON.parse(array), records)
  assert.equal(Array.isArray(JSON.parse(sluice(['convert', sample, '--to', 'avenor', '--array']).stdout)), true)
  const noisy = sluice(['convert', '--to', 'appctl', '--array'], `log line\n${appctl}`)
  assert.deepEqual([(JSON.parse(noisy.stdout) as unknown[]).length, noisy.status], [3, 1])
})

test('what stands before an array or between its records without a comma is not copied with it', () => {
  const done = '{"kind":"done"}'
  for (const text of [
    `data: \n[\n${done}\n]\n`,
    `: keepalive\n[${done}]\n`,
    `event: x\n[${done}]\n`,
    `[${done}\n[]\n${done}\n`,
    `[${done} 5]`,
  ]) {
    const { stdout } = sluice(['convert', '--from', 'appctl', '--to', 'appctl', '--array'], text)
    assert.deepEqual((JSON.parse(stdout) as unknown[])[0], { kind: 'done' }, text)
  }
  const pretty = `\ufeff[\n  ${done} ,\n\t${done}\r\n]\n`
  for (const text of [pretty, '[]', ' [ ]\n'])
    assert.equal(sluice(['convert', '--from', 'appctl', '--to', 'appctl', '--array'], text).stdout, text)
})

test('a broken array is told, and --array writes one array whatever comes in', () => {
  const prompt = '{"kind":"user_prompt","text":"a"}'
  const done = '{"kind":"done"}'
  const broken = [
    `[${prompt},${done}`,
    `[${prompt} ${done}]`,
    `[${prompt},,${done}]`,
    `[${prompt},${done},]`,
    `[${prompt},{"a":tru},${done}]`,
  ]
  const legal = [
    `[${prompt}][${done}]\n`,
    `[${prompt}]\n${done}\n`,
    `[][${prompt},${done}]`,
    `[${prompt},${done}]\n[]`,
    `${prompt}\n[${done}]`,
  ]
  for (const text of [...broken, ...legal]) {
    const status = broken.includes(text) ? 1 : 0
    assert.equal(sluice(['validate'], text).status, status, text)
    const array = sluice(['convert', '--to', 'appctl', '--array'], text)
    assert.deepEqual(JSON.parse(array.stdout), [JSON.parse(prompt), JSON.parse(done)], text)
    assert.equal(array.status, status, text)
    const other = sluice(['convert', '--to', 'avenor', '--array'], text)
    assert.equal(other.status, status, text)
    assert.equal(Array.isArray(JSON.parse(other.stdout)), true)
    const repaired = sluice(['validate', '--repair'], text)
    assert.equal(sluice(['validate', '--from', 'appctl'], repaired.stdout).status, 0, text)
  }
  const lines = sluice(['convert', '--to', 'appctl'], broken[2])
  assert.equal(lines.stdout, `${prompt}\n${done}\n`)
})

test("an event of sluice's own in another version, or in none, is not read as one of this version", () => {
  const event = { v: 1, seq: 1, kind: 'notice', level: 'info', text: 'x' }
  for (const [version, status] of [
    [1, 0],
    [2, 1],
    ['1', 1],
    [undefined, 1],
  ] as const) {
    const line = `${JSON.stringify({ ...event, v: version })}\n`
    const { stdout, status: valid } = sluice(['validate', '--from', 'sluice'], line)
    assert.equal(valid, status, line)
    if (status === 1) assert.match(stdout, /^line 1, byte 0: error shape: notice: .*\bv\b/)
    for (const to of ['sluice', 'claude']) assert.equal(sluice(['convert', '--from', 'sluice', '--to', to], line).status, status, line)
  }
})

test('the tour goes through to its end, in every dialect that can be written', () => {
  const { stdout, stderr, status } = sluice(['tour'])
  assert.equal(stderr, '')
  assert.equal(status, 0)
  for (const part of ['sluice detect', 'no findings', 'sluice show', '--to acp', '--to appctl', 'had to be added', 'Next:'])
    assert.ok(stdout.includes(part), part)
  const table = stdout.slice(stdout.indexOf('What each dialect')).split('\n')
  assert.deepEqual(
    table.filter((line) => line.length > 80),
    [],
  )
})

test('on a terminal the tour and the help keep to its width', () => {
  const linesOn = (columns: number, args: string): string[] =>
    shell(`script -qec 'stty cols ${columns}; NO_COLOR=1 sluice ${args}' /dev/null < /dev/null`).stdout.split('\r\n')
  const wider = (columns: number, args: string): string[] => linesOn(columns, args).filter((line) => line.length > columns)
  assert.deepEqual(wider(80, 'tour'), [])
  assert.deepEqual(
    wider(60, 'tour').filter((line) => /^\{|·/.test(line)),
    [],
    'records and the table',
  )
  assert.deepEqual(wider(80, 'validate --help'), [])
  assert.deepEqual(wider(50, 'schema --help'), [])
})

test('help wraps at the width of the terminal, and at 80 columns elsewhere', () => {
  const commands = [...sluice(['--help']).stdout.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name!)
  // What may be pasted, and what has no space to break at.
  const mayBeLong = /^Usage|^ {2}\S|^ {9}sluice|^ +\S+$/
  for (const width of [40, 80, 120, undefined])
    for (const args of [['--help'], ...commands.map((name) => [name, '--help']), ['model', 'serve', '--help']]) {
      const { status, stdout } = spawnSync(command, args, {
        env: { ...env, ...(width !== undefined && { COLUMNS: String(width) }) },
        encoding: 'utf8',
      })
      assert.equal(status, 0)
      const long = stdout.split('\n').filter((line) => line.length > (width ?? 80) && !mayBeLong.test(line))
      assert.deepEqual(long, [], `${args.join(' ')} in ${width ?? 'a pipe'}`)
    }
})

test('the options of run stand under headings, each under one', () => {
  const help = sluice(['run', '--help']).stdout
  const headings = [...help.matchAll(/^([A-Z][\w ]+):$/gm)].map(([, heading]) => heading)
  assert.deepEqual(headings.slice(0, 4), ['Prompt and session', 'Agent and model', 'Permissions', 'Output'])
  const flags = [...help.matchAll(/^ {2}--([\w-]+)/gm)].map(([, name]) => name!)
  assert.equal(new Set(flags).size, flags.length)
  const other = /^Other:\n([^]*?)\n\n/m.exec(help)?.[1] ?? ''
  assert.equal(other.trim(), '--help                        show this help', 'an option without a heading: see src/cli/option-groups.ts')
})

test('a home folder in which nothing can be made keeps nobody waiting', { skip: process.platform !== 'linux' }, () => {
  const { status, stdout } = shell('HOME=/proc XDG_CACHE_HOME= timeout 10 sluice --version')
  assert.equal(status, 0)
  assert.match(stdout, /^\d/)
})

test('losses are told, counted, and fail under --strict', () => {
  const file = scratch('losses.ndjson', '')
  const { stderr, status } = sluice(['convert', sample, '--to', 'appctl', '--losses', file])
  assert.equal(status, 0)
  assert.match(stderr, /claude → appctl: 13 records read/)
  assert.match(stderr, /dropped: .*task\.start/)
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; code: string; count: number })
  assert.ok(lines.some(({ type, code, count }) => type === 'loss' && code === 'task.start' && count === 1))
  assert.ok(lines.some(({ type }) => type === 'addition'))
  assert.equal(sluice(['convert', sample, '--to', 'appctl', '--strict']).status, 1)
  assert.equal(sluice(['convert', sample, '--to', 'sluice', '--strict']).status, 0)
})

test('--quiet gives no account, and tells of lines that cannot be read all the same', () => {
  const quiet = sluice(['convert', sample, '--to', 'appctl', '--quiet'])
  assert.deepEqual([quiet.status, quiet.stderr], [0, ''])
  assert.equal(quiet.stdout, sluice(['convert', sample, '--to', 'appctl']).stdout)
  const broken = sluice(['convert', '--from', 'appctl', '--to', 'avenor', '--quiet'], `nonsense\n${appctl}`)
  assert.deepEqual([broken.status, broken.stderr], [1, 'sluice: line 1, byte 0: not JSON (noise)\n'])
})

test('losses never take the place of what is read, nor of the output', () => {
  const file = scratch('own.ndjson', appctl)
  const link = `${file}.link`
  symlinkSync(file, link)
  for (const losses of [file, link]) {
    const { stderr, status } = sluice(['convert', file, '--to', 'avenor', '--losses', losses])
    assert.match(stderr, /^sluice: --losses ".*" would be lost: it is what is read; name another file\n$/)
    assert.equal(status, 2)
  }
  assert.equal(shell(`sluice convert - --to avenor --losses ${quote(file)} < ${quote(file)}`).status, 2)
  assert.equal(readFileSync(file, 'utf8'), appctl)
  assert.match(
    shell(`sluice convert ${quote(file)} --to avenor --losses ${quote(file)}.out > ${quote(file)}.out`).stderr,
    /is where the output goes/,
  )
  const dash = shell('sluice convert own.ndjson --to avenor --losses -; ls', dirname(file))
  assert.equal(dash.stderr, 'sluice: --losses "-" is no file, and stdout is for the output; write a file of this name as "./-"\n')
  assert.doesNotMatch(dash.stdout, /^-$/m)
})

test('losses that cannot be written are told by their name', () => {
  const { stderr, status } = sluice(['convert', sample, '--to', 'avenor', '--losses', '/dev/full'])
  assert.match(stderr, /^sluice: cannot write "\/dev\/full": no space left on the device\n/m)
  assert.equal(status, 1)
})

test('to sluice with --carry and back gives the same bytes', () => {
  const there = sluice(['convert', sample, '--to', 'sluice', '--carry']).stdout
  assert.equal(sluice(['convert', '--to', 'claude'], there).stdout, readFileSync(sample, 'utf8'))
  // Logs of one record each, one after another: the record numbers repeat.
  const one = sluice(['convert', '--to', 'sluice', '--carry'], '{"kind":"done"}\n').stdout
  assert.equal(sluice(['convert', '--to', 'appctl'], one + one + one).stdout, '{"kind":"done"}\n'.repeat(3))
  const broken = Buffer.from('{"kind":"user_prompt","text":"a\xffb"}\n{"kind":"done"}\n', 'latin1')
  const carried = sluice(['convert', '--to', 'sluice', '--carry'], broken).stdout
  assert.equal(sluice(['convert', '--to', 'appctl'], carried).stdout, broken.toString(), 'what is no UTF-8 is replaced, and told once')
})

test('numbers past 2^53 are judged the same with --repair, and what it adds has all their digits', () => {
  const big = '12345678901234567890'
  const usage = `{"type":"result","subtype":"success","is_error":false,"session_id":"s","uuid":"u","usage":${big}}\n`
  const asked = `{"event":"permission.request","session_id":"s","request_id":${big},"options":[]}\n{"event":"permission.response","session_id":"s","request_id":${big}}\n`
  const prompt = `{"jsonrpc":"2.0","id":${big},"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}\n`
  const update = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}\n'
  for (const [from, text] of Object.entries({ claude: usage, avenor: asked, acp: prompt + update })) {
    const judged = sluice(['validate', '--from', from], text)
    const repaired = sluice(['validate', '--from', from, '--repair'], text)
    assert.equal(repaired.stderr, judged.stdout + judged.stderr, from)
    assert.equal(judged.stdout.includes('shape'), from === 'claude')
    if (from === 'acp') assert.match(repaired.stdout, new RegExp(`"id":${big},"error"`))
  }
})

test('numbers past 2^53 keep their text on the way to another dialect', () => {
  const input = `{"kind":"user_prompt","text":"x"}\n{"kind":"tool_call","id":"1","name":"f","arguments":{"n":12345678901234567890}}\n`
  assert.match(sluice(['convert', '--to', 'avenor'], input).stdout, /"rawInput":\{"n":12345678901234567890\}/)
})

test('deep nesting, a long line and the cap', () => {
  const deep = `{"kind":"tool_call","id":"1","name":"f","arguments":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
  const { stdout, status } = sluice(['convert', '--to', 'avenor'], `{"kind":"user_prompt","text":"x"}\n${deep}\n{"kind":"done"}\n`)
  assert.equal(status, 0)
  assert.ok(stdout.includes('['.repeat(100_000)))
  const long = `${appctl}${JSON.stringify({ kind: 'user_prompt', text: 'y'.repeat(1 << 20) })}\n{"kind":"done"}\n`
  assert.equal(sluice(['validate'], long).status, 0)
  const capped = sluice(['convert', '--to', 'sluice', '--max-line', '64KiB'], long)
  assert.equal(capped.status, 1)
  assert.match(capped.stdout, /"kind":"issue".*"code":"too-long"/)
})

test('validate: findings with place, code, rule; exit codes', () => {
  assert.deepEqual([sluice(['validate', sample]).status, sluice(['validate', sample]).stdout], [0, ''])
  const cut = readFileSync(sample, 'utf8').split('\n').slice(0, 3).join('\n')
  const text = sluice(['validate'], cut)
  assert.equal(text.status, 1)
  assert.match(text.stdout, /^line 3, byte \d+: error missing-end: .* Rule: /)
  const json = JSON.parse(sluice(['validate', '--json'], cut).stdout) as Record<string, unknown>
  assert.deepEqual(Object.keys(json), ['line', 'byte', 'code', 'severity', 'text', 'rule'])
  const warned = `${appctl.replace('{"kind":"done"}', '{"kind":"brand_new"}\n{"kind":"done"}')}`
  assert.equal(sluice(['validate'], warned).status, 0)
  assert.equal(sluice(['validate', '--strict'], warned).status, 1)
  assert.equal(sluice(['validate'], '').status, 2)
  assert.equal(sluice(['validate', '--from', 'appctl'], '').status, 0)
})

test('a dialect is found behind much that is no record, in a file as in a pipe', () => {
  const lines = `${'1\n'.repeat(40_960)}${readFileSync(sample, 'utf8')}`
  const file = scratch('late.ndjson', lines)
  const ways = [sluice(['convert', file, '--to', 'sluice']), sluice(['convert', '--to', 'sluice'], lines)].map(({ stdout }) => stdout)
  assert.match(ways[0]!, /"kind":"session.end"/)
  assert.equal(ways[0], ways[1])
})

test('a number that no double holds is a number where one must stand', () => {
  const result = (cost: string): string => readFileSync(sample, 'utf8').replace(/"total_cost_usd":[\d.]+/, `"total_cost_usd":${cost}`)
  for (const cost of ['1e100', '12345678901234567890', '1e400']) {
    const { stdout, stderr, status } = sluice(['convert', '--from', 'claude', '--to', 'sluice'], result(cost))
    assert.deepEqual([status, /"kind":"issue"/.test(stdout), /"reason":"end_turn"/.test(stdout)], [0, false, true], stderr)
  }
  const denied = '"permission_denials":[{"tool_name":"f","tool_use_id":"t","tool_input":{"n":12345678901234567890}}]'
  const beside = result('12345678901234567890').replace('"permission_denials":[]', denied)
  assert.match(sluice(['convert', '--from', 'claude', '--to', 'sluice'], beside).stdout, /"input":\{"n":12345678901234567890\}/)
  const patch = '"structuredPatch":[{"oldStart":1e400,"oldLines":1,"newStart":1,"newLines":12345678901234567890,"lines":["-a","+b"]}]'
  const edited = readFileSync(sample, 'utf8').replace('"tool_use_result":{', `"tool_use_result":{${patch},`)
  assert.notEqual(edited, readFileSync(sample, 'utf8'))
  for (const argv of [['show'], ['watch', '--format', 'pretty'], ['digest']]) {
    const { status, stderr } = sluice([...argv, '--from', 'claude'], edited)
    assert.equal(status, 0, stderr)
  }
})

test('an answer of Codex whose thread is none is kept as it came', () => {
  const lines = [
    { jsonrpc: '2.0', id: 1, method: 'thread/start', params: {} },
    { jsonrpc: '2.0', id: 1, result: { thread: { id: 't', parentThreadId: 5 }, model: 'm' } },
  ].map((line) => JSON.stringify(line))
  const { stdout, status } = sluice(['convert', '--from', 'codex', '--to', 'sluice'], lines.join('\n'))
  assert.equal(status, 0)
  assert.match(stdout, /"kind":"raw".*"why":"unmapped"/)
})

test('repair adds what is missing, says so, and the result is legal', () => {
  const broken = '{"kind":"user_prompt","text":"x"}\n{"kind":"tool_call","id":"1","name":"f","arguments":{}}\n{"kind":"do'
  const { stdout, stderr, status } = sluice(['validate', '--repair'], broken)
  assert.equal(status, 1)
  assert.match(stderr, /cut/)
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    records.map(({ kind, synthetic }) => [kind, typeof synthetic]),
    [
      ['user_prompt', 'undefined'],
      ['tool_call', 'undefined'],
      ['tool_result', 'string'],
      ['done', 'string'],
    ],
  )
  assert.equal(sluice(['validate', '--strict'], stdout).status, 0)
})

test('schema prints JSON Schema 2020-12', () => {
  for (const name of [undefined, 'sluice', 'claude', 'aictrl', 'avenor', 'appctl']) {
    const schema = JSON.parse(sluice(name === undefined ? ['schema'] : ['schema', name]).stdout) as {
      $schema: string
      $defs: object
    }
    assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
    assert.ok(Object.keys(schema.$defs).length > 10)
  }
})

test("the schema of Avenor takes a user's own events, and none of the listed names without its fields", () => {
  const fits = new Ajv2020({ strict: false }).compile(JSON.parse(sluice(['schema', 'avenor']).stdout) as object)
  const records = [{ event: 'deploy.checked', ok: true }, { event: 'agent.reply' }, { event: 'tool.call' }, { event: 5 }, { kind: 'done' }]
  assert.deepEqual(
    records.map((record) => fits(record)),
    [true, true, false, false, false],
  )
})

test('a closed pipe ends quietly, a full disk does not', () => {
  const long = scratch('long.ndjson', readFileSync(sample, 'utf8').repeat(500))
  const closed = shell(`sluice convert ${quote(long)} --to sluice | head -n 1 | wc -l; echo "\${PIPESTATUS[0]}"`)
  assert.equal(closed.stdout, '1\n0\n')
  assert.equal(closed.stderr, '')
  const full = shell(`sluice convert ${quote(sample)} --to avenor > /dev/full`)
  assert.equal(full.status, 1)
  assert.match(full.stderr, /no space left/)
  for (const words of ['--help', '--version', 'convert --help', 'run --help']) {
    const quiet = shell(`(sleep 0.1; sluice ${words}; echo $? >&2) | true`)
    assert.equal(quiet.stderr, '0\n', words)
    const told = shell(`sluice ${words} > /dev/full`)
    assert.equal(told.status, 1, words)
    assert.equal(told.stderr, 'sluice: cannot write the output: no space left on the device\n', words)
  }
})

test('records come out as they come in', async () => {
  const child = start(['convert', '--to', 'avenor'])
  child.stdin.write('{"kind":"user_prompt","text":"x"}\n{"kind":"assistant_delta","text":"hel')
  child.stdin.write('lo"}\n')
  let seen = ''
  for await (const chunk of child.stdout) {
    seen += String(chunk)
    if (seen.includes('hello')) break
  }
  assert.match(seen, /agent\.message_chunk/)
  child.kill()
})

test('nothing of a stream reaches a terminal unescaped', () => {
  const evil = scratch(
    'evil.ndjson',
    '{"kind":"user_prompt","text":"x"}\n{"kind":"\u009b31mred","x":"\\u001b[2J"}\n\u001b[2Jnoise\n{"kind":"done"}\n',
  )
  for (const args of [
    `validate ${quote(evil)}`,
    `convert ${quote(evil)} --to appctl`,
    `convert ${quote(evil)} --to sluice`,
    `validate --repair ${quote(evil)}`,
    `detect ${quote(evil)}`,
    `convert ${quote(evil)} --to $'\\e[31m'`,
  ]) {
    const { stdout } = shell(`script -qec ${quote(`sluice ${args}`)} /dev/null`)
    assert.doesNotMatch(stdout, /[\u001b\u009b]/, args)
    assert.ok(stdout.length > 0)
  }
})

test('an unreadable file is a clear error', { skip: process.getuid?.() === 0 && 'root reads everything' }, () => {
  const file = scratch('secret.ndjson', appctl)
  chmodSync(file, 0)
  assert.match(sluice(['validate', file]).stderr, /permission denied/)
})

test('lists that are given twice add up', () => {
  const denied = fixture('claude/2.1.325/e-bash-denied.ndjson')
  for (const lists of [
    ['--fail-on', 'denied', '--fail-on', 'error'],
    ['--fail-on', 'error,denied', '--fail-on', 'denied'],
  ]) {
    const { status, stderr } = sluice(['digest', ...lists, denied])
    assert.deepEqual([status, stderr.match(/failed on .*/)?.[0]], [1, 'failed on denied (1)'])
  }
  const only = (...lists: string[]): string => sluice(['watch', '--format', 'plain', ...lists, denied]).stdout
  assert.notEqual(only('--only', 'milestone'), '')
  assert.equal(only('--only', 'milestone', '--only', 'finding'), only('--only', 'milestone,finding'))
})

test('a folder on stdin is no empty input', () => {
  for (const line of ['watch', 'watch --follow', 'convert --from claude --to avenor', 'show --from claude', 'detect']) {
    const { status, stderr } = shell(`sluice ${line} < /`)
    assert.deepEqual([status, stderr], [2, 'sluice: cannot read stdin: it is a folder\n'], line)
  }
})

test('what is read is not where the output goes', () => {
  for (const line of ['validate --repair', 'convert --to appctl', 'digest --classify', 'watch --format json', 'watch --follow']) {
    const file = scratch('self.ndjson', appctl)
    const { status, stderr } = shell(`timeout 20 sluice ${line} ${quote(file)} >> ${quote(file)}`)
    assert.equal(status, 2, line)
    assert.match(stderr, /is where the output goes; write to another file/)
    assert.equal(readFileSync(file, 'utf8'), appctl)
  }
})

test('detect gives up where all commands do', { skip: process.platform !== 'linux' }, () => {
  const { status, stdout, stderr } = sluice(['detect', '/dev/zero'])
  assert.deepEqual([status, stdout.startsWith('unknown'), stderr], [1, true, 'sluice: no JSON record was found in its first 256 MiB\n'])
})
