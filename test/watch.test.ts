// `sluice watch` on what is there: formats, classes, filters, bad input, pipes and signals.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { command, env, fixture, scratch, shell, sluice } from './run.ts'
import { chunk, end, endLine, line, newFile, startWatch } from './watching.ts'
import { quote } from './quote.ts'

const watch = (args: readonly string[], input?: string | Uint8Array) => sluice(['watch', ...args], input)
const sample = fixture('claude/2.1.325/g-subagent-fg.ndjson')
const tool = (title: string, status: string): string =>
  `${JSON.stringify({ event: 'tool.call', session_id: 's', toolCallId: title, kind: 'bash', title, status })}\n`

test('a file, a pipe and - give the same lines', () => {
  const log = chunk('one') + tool('ls', 'pending') + end
  const expected = `${line('one')}EVENT tool.call s bash:ls [pending]\n${endLine}`
  const file = scratch('events.ndjson', log)
  for (const [args, input] of [[[file]], [[], log], [['-'], log], [['--follow'], log]] as [string[], string?][]) {
    const { stdout, stderr, status } = watch(args, input)
    assert.deepEqual([stdout, stderr, status], [expected, '', 0])
  }
})

test('wrong usage is exit 2', () => {
  const file = scratch('events.ndjson', chunk('one'))
  for (const [args, message] of [
    [['--folow', file], /did you mean --follow/],
    [['--format', 'jsn', file], /did you mean json/],
    [['--format', 'xml', file], /known: pretty, plain, json, sluice/],
    [['--only', 'milestones', file], /did you mean milestone/],
    [['--classify=some', file], /write --classify or --classify=all/],
    [['--accumulate', '--format', 'json', file], /--accumulate/],
    [['--accumulate', '--format', 'pretty', file], /--accumulate/],
    [['--follow', '--from', 'avenr', newFile()], /did you mean avenor/],
    [['--rules', '/no/such.yaml', file], /cannot read the rules/],
    [['--rules', scratch('r.yaml', 'rulez: []\n'), file], /line 1/],
    [[file, file], /named twice/],
    [['/no/such/file'], /no such file/],
    [['x'.repeat(300)], /its name is too long/],
    [['--follow', 'x'.repeat(300)], /its name is too long/],
    [[`${file}/x`], /its path goes through something that is not a folder/],
    [['--since-cursor', `${file}/x`, file], /its path goes through something that is not a folder/],
    [['/no/such/file', file], /no such file/],
    [['/tmp'], /folder/],
    [['--follow', '/tmp'], /folder/],
    [[scratch('unknown', '{"a":1}\n')], /cannot tell the dialect/],
  ] as [string[], RegExp][]) {
    const { status, stderr } = watch(args)
    assert.match(stderr, message, args.join(' '))
    assert.deepEqual([args, status], [args, 2])
  }
})

test('of several files a bad one is told, and the others are shown to their end', () => {
  const whole = watch([sample]).stdout
  assert.match(whole, /session\.end .*\n$/)
  for (const [bad, message] of [
    ['/no/such/file', /^sluice: cannot read "\/no\/such\/file": no such file\n$/],
    [scratch('unknown', '{"a":1}\n'), /^sluice: .+unknown: cannot tell the dialect .*\n$/],
  ] as const)
    for (const files of [
      [sample, bad],
      [bad, sample],
    ]) {
      const { stdout, stderr, status } = watch(files)
      assert.deepEqual([stdout, status], [whole, 2])
      assert.match(stderr, message)
    }
})

test('bad lines are told with their number, the rest is shown, and the exit code is 0', () => {
  const log = `${chunk('1')}\n\nbroken\r\n{"event":"x",\n${chunk('2').replace('\n', '\r\n')}[1]\n{"other":"json"}\n${chunk('last').trimEnd()}`
  const { stdout, stderr, status } = watch([], log)
  assert.equal(stdout, line('1') + line('2') + line('last'))
  assert.deepEqual(
    stderr.match(/line \d+, .*/g)?.map((text) => text.replace(/, byte \d+/, '')),
    ['line 4: not JSON (noise)', 'line 5: not valid JSON (bad-json)', 'line 7: JSON, but not an object (not-object)'],
  )
  assert.equal(status, 0)
})

test('a log with nothing in it is no error, one that has ended without a record is', () => {
  for (const input of ['', '\n\n']) assert.deepEqual([watch([], input).status, watch([], input).stderr], [0, ''])
  for (const input of ['hello\nworld\n', Buffer.from([0, 1, 2, 0xfe, 10, 3])]) {
    const { status, stdout, stderr } = watch([], input)
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^sluice: cannot tell the dialect of the input: no JSON record was found in it; .*\n$/)
  }
})

test('json: the records themselves, blank and bad lines left out', () => {
  const odd = '{"event":"x", "n": 12345678901234567890, "f":1.50}'
  const log = `${odd}\n\n  \nbad\n[1,2]\n7\n{"no":"event"}\n${chunk('one')}`
  const { stdout, stderr } = watch(['--format', 'json'], log)
  assert.equal(stdout, `${odd}\n[1,2]\n7\n{"no":"event"}\n${chunk('one')}`)
  assert.match(stderr, /^sluice: line 4, byte \d+: not JSON \(noise\)\n$/)
  const classified = watch(['--format', 'json', '--classify'], log + end).stdout.split('\n')
  assert.equal(classified[0], '{"event":"x", "n": 12345678901234567890, "f":1.50,"classify":"ACTIVITY"}')
  assert.deepEqual(classified.slice(1, 4), ['[1,2]', '7', '{"no":"event","classify":"ACTIVITY"}'])
  assert.match(classified[5]!, /"stop_reason":"end_turn","classify":"MILESTONE"\}$/)
})

test('json of any dialect is its input; sluice is what convert writes', () => {
  for (const name of [
    'claude/2.1.325/g-subagent-fg.ndjson',
    'claude/2.1.325/i-partial.ndjson',
    'aictrl/made/subagents.ndjson',
    'claude/2.1.325/h-429.ndjson',
  ]) {
    const file = fixture(name)
    assert.equal(watch(['--format', 'json', file]).stdout, readFileSync(file, 'utf8'), name)
    assert.equal(watch(['--format', 'sluice', file]).stdout, sluice(['convert', '--to', 'sluice', file]).stdout, name)
    const classified = watch(['--format', 'json', '--classify', file]).stdout
    assert.equal(classified.replace(/,"classify":"(MILESTONE|FINDING|ACTIVITY)"\}$/gm, '}'), readFileSync(file, 'utf8'), name)
  }
})

test('classes: tags, filters, rules of one’s own', () => {
  const log = `${chunk('all fine')}${chunk('confidence: 80%')}{"event":"deploy.failed","session_id":"s"}\n${end}`
  const [fine, finding, deploy] = [line('all fine'), line('confidence: 80%'), 'EVENT deploy.failed s \n']
  assert.equal(watch(['--classify'], log).stdout, `${fine}FINDING ${finding}${deploy}MILESTONE ${endLine}`)
  assert.equal(watch(['--classify=all'], log).stdout, `ACTIVITY ${fine}FINDING ${finding}ACTIVITY ${deploy}MILESTONE ${endLine}`)
  assert.equal(watch(['--only', 'finding'], log).stdout, finding)
  assert.equal(watch(['--only', 'Milestone, FINDING'], log).stdout, finding + endLine)
  assert.equal(watch(['--only', 'milestone', '--format', 'json'], log).stdout, end)
  const rules = scratch('rules.yaml', 'rules:\n  - name: deploys\n    event: deploy.failed\n    class: finding\n')
  assert.equal(watch(['--rules', rules, '--only', 'finding', '--classify'], log).stdout, `FINDING ${finding}FINDING ${deploy}`)
})

test('what matters is told in plain too, whatever Avenor has a record for', () => {
  const commit = readFileSync(fixture('copilot/c-bash.ndjson'), 'utf8').replaceAll('echo out', 'git commit -m out')
  const told = watch(['--only', 'milestone', '--classify'], commit).stdout
  assert.match(told, /^MILESTONE EVENT tool\.call_update \S+ bash:git commit -m out[^\n]* \[pending\]\nMILESTONE EVENT session\.end .*\n$/)
  const limit = readFileSync(fixture('claude/2.1.325/t-ratelimit-oauth.ndjson'))
  const rules = scratch('rules.yaml', 'rules:\n  - event: rate_limit_event\n    class: finding\n')
  for (const more of [[], ['--redact']])
    assert.match(watch(['--rules', rules, '--only', 'finding', ...more], limit).stdout, /^FINDING EVENT rate_limit_event \S+ \n$/)
})

test('--session shows one session', () => {
  const log = chunk('one') + chunk('two', 't') + '{"event":"x","sessionID":"t"}\n' + end
  assert.equal(watch(['--session', 't'], log).stdout, `${line('two', 't')}EVENT x t \n`)
  assert.equal(watch(['--session', 't', '--format', 'json'], log).stdout, `${chunk('two', 't')}{"event":"x","sessionID":"t"}\n`)
  assert.equal(watch(['--session', 't'], log).stderr, '')
  for (const format of ['plain', 'json', 'sluice', 'pretty']) {
    const { stdout, stderr, status } = watch(['--session', 'none', '--format', format], log)
    assert.deepEqual([stdout, stderr, status], ['', 'sluice: no session "none" came; there were "s", "t"\n', 0])
  }
  const many = Array.from({ length: 9 }, (_, index) => chunk('x', `s${index}`)).join('')
  assert.match(watch(['--session', 's'], many).stderr, /; there were "s0", "s1", "s2", "s3", "s4" and others\n$/)
  assert.equal(watch(['--session', 's'], '').stderr, 'sluice: no session "s" came; none was named\n')
})

test('other dialects are told in Avenor’s words', () => {
  const id = '[0-9a-f-]{36}'
  const expected = [
    `EVENT session.start ${id} `,
    `EVENT agent.message_chunk ${id} Delegating.`,
    `EVENT tool.call ${id} task:Count lines \\[pending\\]`,
    `EVENT tool.call ${id} read:Read \\[pending\\]`,
    `EVENT tool.call_update ${id} read \\[completed\\]`,
    `MILESTONE EVENT tool.call_update ${id} task:Count lines \\[completed\\]`,
    `EVENT tool.call_update ${id} task \\[completed\\]`,
    `EVENT agent.message_chunk ${id} The subagent says three lines.`,
    `MILESTONE EVENT session.end ${id} stop_reason=end_turn`,
  ]
  assert.match(watch(['--classify', sample]).stdout, new RegExp(`^${expected.join('\n')}\n$`))
  const cut = readFileSync(sample, 'utf8').split('\n').slice(0, 5).join('\n')
  assert.doesNotMatch(watch([], `${cut}\n`).stdout, /session\.end|failed/, 'nobody has told an end')
})

test('pretty tags the first line of what matters, not the blank one above it', () => {
  const { stdout } = watch(['--format', 'pretty', '--classify', fixture('claude/2.1.325/h-429-then-ok.ndjson')])
  const tagged = stdout.split('\n').flatMap((text) => /^MILESTONE (.*)$/.exec(text)?.[1]?.slice(0, 9) ?? [])
  assert.deepEqual(tagged, ['! retry 1', '! retry 2', '✔ turn 1 ', '✔ done · '])
})

test('pretty is what show prints, to the tokens and the cost in its last line', () => {
  const names = [
    'claude/2.1.325/b-read.ndjson',
    'codex/exec/b-read.ndjson',
    'codex/exec/b-read.rollout.jsonl',
    'copilot/b-read.session.jsonl',
  ]
  for (const name of names) {
    const shown = sluice(['show', fixture(name)]).stdout
    assert.match(shown, / tokens.*\n$/, name)
    for (const more of [[], ['--redact']]) assert.equal(watch(['--format', 'pretty', ...more, fixture(name)]).stdout, shown, name)
  }
})

test('a terminal gets harmless text, and pretty unless asked otherwise', () => {
  const log = scratch('evil.ndjson', chunk('\u001b]0;owned\u0007 \u202e bidi') + end)
  const onTerminal = (args: string): string =>
    shell(`script -qec ${quote(`sluice watch ${args} ${quote(log)}`)} /dev/null < /dev/null`).stdout
  for (const format of ['plain', 'json', 'sluice', 'pretty']) {
    const shown = onTerminal(`--format ${format}`)
    assert.match(shown, /owned/, format)
    assert.doesNotMatch(shown, /\u001b\]|\u0007|\u202e/, format)
  }
  assert.doesNotMatch(onTerminal(''), /^EVENT/)
  assert.match(onTerminal('--accumulate'), /^--:--:-- EVENT/)
})

test('a reader that goes away ends it without a word', () => {
  const many = scratch('many.ndjson', chunk('x'.repeat(100)).repeat(20_000) + end)
  const { stdout, stderr } = shell(`set -o pipefail; sluice watch ${quote(many)} | head -n 1; echo $?`)
  assert.deepEqual([stdout, stderr], [`${line('x'.repeat(100))}0\n`, ''])
})

test('a signal ends it while it waits for input: 130 and 143', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    await using piped = startWatch([])
    piped.child.stdin.write(chunk('one'))
    await piped.shows(line('one'))
    piped.child.kill(signal)
    assert.deepEqual(await piped.ended, { code, signal: null })
    const file = newFile()
    writeFileSync(file, chunk('one'))
    await using follower = startWatch(['--follow', file])
    await follower.shows(line('one'))
    follower.child.kill(signal)
    assert.deepEqual(await follower.ended, { code, signal: null })
    assert.equal(follower.out() + follower.errors(), line('one'))
  }
})

test('a reader that takes nothing slows it down and costs no memory, and a signal still ends it', async () => {
  const file = newFile()
  writeFileSync(file, chunk('x'.repeat(100)).repeat(300_000)) // 50 MB
  const child = spawn(command, ['watch', '--follow', '--format', 'json', file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'readable') // the first lines have come, and no more are taken
  const memory = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  const processor = (): string | undefined => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[11]
  for (let last; last !== (last = processor());) await setTimeout(100) // until it stands still
  assert.ok(memory() < 150, `${memory()} MB`)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [143, null])
})

/** Until a process has opened a file. */
async function isOpen(pid: number, file: string): Promise<void> {
  const { ino } = statSync(file)
  const isIt = (fd: string): boolean => statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false })?.ino === ino // others come and go
  while (!readdirSync(`/proc/${pid}/fd`).some(isIt)) await setTimeout(20)
}

/** Whether a process is told by the system what happens in a folder. */
function watches(pid: number, folder: string): boolean {
  const { ino } = statSync(folder)
  return readdirSync(`/proc/${pid}/fdinfo`).some((fd) => infoOf(pid, fd).includes(`ino:${ino.toString(16)} `))
}

function infoOf(pid: number, fd: string): string {
  try {
    return readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8')
  } catch {
    return '' // closed since it was listed
  }
}

test('a named pipe: a signal ends it before anybody writes, and what is written is told at once', { timeout: 60_000 }, async () => {
  for (const [args, signal, code] of [
    [[], 'SIGTERM', 143],
    [['--follow'], 'SIGINT', 130],
  ] as const) {
    const pipe = newFile()
    spawnSync('mkfifo', [pipe])
    await using waiting = startWatch([...args, pipe])
    await isOpen(waiting.child.pid!, pipe)
    waiting.child.kill(signal)
    assert.deepEqual(await waiting.ended, { code, signal: null })
    assert.equal(waiting.out() + waiting.errors(), '')

    await using reading = startWatch([...args, pipe])
    await readsPipe(reading, pipe)
  }
})

async function readsPipe(watching: ReturnType<typeof startWatch>, pipe: string): Promise<void> {
  const writer = await open(pipe, 'w')
  await writer.write(chunk('one'))
  await watching.shows(line('one'))
  await writer.write(end)
  await writer.close()
  assert.deepEqual(await watching.ended, { code: 0, signal: null })
  assert.equal(watching.out() + watching.errors(), line('one') + endLine)
}

test('what comes to be a named pipe is read like one that was there', { timeout: 60_000 }, async () => {
  const pipe = newFile()
  await using watching = startWatch(['--follow', pipe])
  while (!watches(watching.child.pid!, dirname(pipe))) await setTimeout(20)
  spawnSync('mkfifo', [pipe])
  await readsPipe(watching, pipe)
})

test('a terminal: its lines are told at once, and a signal is heard', { timeout: 60_000 }, async () => {
  const script = spawn('script', ['-qec', 'stty -echo; tty; exec sleep 60', '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  try {
    const [said] = (await once(script.stdout, 'data')) as [Buffer]
    const tty = said.toString().trim()
    await using watching = startWatch([tty])
    await isOpen(watching.child.pid!, tty)
    script.stdin.write(chunk('one'))
    await watching.shows(line('one'))
    await setTimeout(100) // nothing tells when it reads again
    watching.child.kill('SIGINT')
    assert.deepEqual(await watching.ended, { code: 130, signal: null })
  } finally {
    script.kill()
  }
})
