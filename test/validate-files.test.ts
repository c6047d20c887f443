// Several files of `sluice validate`: told in their order, whichever process reads them, and none called valid that was not read.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { command, env, scratch, shell, sluice, start } from './run.ts'
import { quote } from './quote.ts'

const appctl = ['{"kind":"user_prompt","text":"hi"}', '{"kind":"assistant_message","text":"hello"}', '{"kind":"done"}', ''].join('\n')

test('validate of several files: in order, each with its name', () => {
  const good = scratch('good.ndjson', appctl)
  const bad = scratch('bad.ndjson', appctl.replace('{"kind":"done"}\n', ''))
  const { stdout, stderr, status } = sluice(['validate', good, bad, good, '/no/such', bad])
  assert.equal(status, 2)
  assert.equal(stdout.trim().split('\n').length, 2)
  assert.match(stdout, /bad\.ndjson: line 2, .*missing-end/)
  assert.deepEqual(stderr.match(/(good|bad|such)[\w.]*: /g), ['good.ndjson: ', 'bad.ndjson: ', 'good.ndjson: ', 'such: ', 'bad.ndjson: '])
})

test('validate of several files: a name with a line break makes no second line', () => {
  const bad = appctl.replace('{"kind":"done"}\n', '')
  const { stdout, stderr } = sluice(['validate', scratch('a\nb', bad), scratch('c', bad)])
  assert.match(stdout, /^.+a\\u000ab: line 2, .*\n.+c: line 2, .*\n$/)
  assert.match(stderr, /^sluice: .+a\\u000ab: appctl, .*\nsluice: .+c: appctl, .*\n$/)
})

test('validate of several files: what is no fault of theirs is told once', () => {
  const bad = scratch('bad.ndjson', appctl.replace('{"kind":"done"}\n', ''))
  const full = shell(`sluice validate ${quote(bad)} ${quote(bad)} ${quote(bad)} > /dev/full`)
  assert.deepEqual([full.status, full.stderr], [1, 'sluice: cannot write the output: no space left on the device\n'])
  const { status, stderr } = sluice(['validate', '--from', 'avenr', bad, bad, bad])
  assert.equal(status, 2)
  assert.match(stderr, /^sluice: --from "avenr" is not a dialect; did you mean avenor\? .*\n$/)
})

test('validate: what is meant for its second process is no option', () => {
  for (const input of ['', '{}', 'null', '{"share":1}']) {
    const { status, stderr } = sluice(['validate', '--as-helper'], input)
    assert.deepEqual([status, stderr], [2, 'sluice: --as-helper is for sluice itself; give it files\n'])
  }
})

test('validate of several large files, which two processes read: the same', () => {
  const long = `${JSON.stringify({ kind: 'assistant_message', text: 'x'.repeat(90_000) })}\n`
  const good = scratch('good.ndjson', appctl)
  const bad = scratch('bad.ndjson', appctl.replace('{"kind":"done"}\n', long.repeat(300)))
  const files = [good, bad, good, bad, '/no/such', good]
  const { stdout, stderr, status } = sluice(['validate', ...files])
  assert.equal(status, 2)
  assert.equal(stdout.match(/bad\.ndjson: line \d+, .*missing-end/g)?.length, 2)
  assert.deepEqual(
    stderr.match(/(good|bad|such)[\w.]*: /g),
    ['good', 'bad', 'good', 'bad', 'such', 'good'].map((name) => `${name}${name === 'such' ? '' : '.ndjson'}: `),
  )
  for (const jobs of ['1', '3', '99']) {
    const other = sluice(['validate', '--jobs', jobs, ...files])
    assert.deepEqual([other.stdout, other.stderr, other.status], [stdout, stderr, status], jobs)
  }
})

test('validate --jobs: so many processes read; by itself two, or as many as there are processors', async () => {
  const files = ['one', 'two', 'three'].map((name) => scratch(name, ''))
  for (const file of files) truncateSync(file, 1 << 28)
  const helpers = async (program: string, argv: readonly string[]): Promise<number> => {
    const child = spawn(program, [...argv, '--from', 'appctl', ...files], { env, stdio: 'ignore' })
    const seen = new Set<string>()
    while (child.exitCode === null) {
      for (const one of childrenOf(child.pid!)) if (nameOf(one).includes('--as-helper')) seen.add(one)
      await setTimeout(2)
    }
    return seen.size
  }
  assert.equal(await helpers(command, ['validate', '--jobs', '1']), 0)
  assert.equal(await helpers(command, ['validate', '--jobs', '3']), 2)
  assert.equal(await helpers('taskset', ['-c', '0', command, 'validate']), 0)
  for (const jobs of ['0', '-1', '1.5', 'many']) {
    const { status, stderr } = sluice(['validate', `--jobs=${jobs}`, ...files])
    assert.deepEqual([status, stderr], [2, `sluice: --jobs "${jobs}" is not a whole number from 1 on\n`])
  }
})

test('validate of several large files: when the other process dies, that is told, and nothing is called valid', async () => {
  const files = ['one', 'two'].map((name) => scratch(name, ''))
  for (const file of files) truncateSync(file, 1 << 29) // nothing but zeros, which take no room
  const child = start(['validate', '--from', 'appctl', ...files])
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  const ended = once(child, 'close')
  const helper = await childOf(child.pid!, '--as-helper')
  process.kill(helper, 'SIGKILL')
  assert.deepEqual(await ended, [1, null])
  assert.match(said, /^sluice: the process that read the other files ended early \(SIGKILL\)\n$/)
})

test('validate of several large files: when it is killed, the other process ends too', async () => {
  const files = ['one', 'two'].map((name) => scratch(name, ''))
  for (const file of files) truncateSync(file, 2 ** 36) // zeros: after the first of them, minutes without anything to tell
  const child = start(['validate', '--from', 'appctl', '--max-line', '1', ...files])
  const helper = await childOf(child.pid!, '--as-helper')
  while (!files.some((file) => placeIn(file, helper) > 1 << 24)) await setTimeout(2)
  const ended = once(child, 'close') // its stderr is open as long as the other process lives
  child.kill('SIGKILL')
  const first = await Promise.race([ended, setTimeout(10_000, 'late', { ref: false })])
  if (first === 'late') process.kill(helper, 'SIGKILL')
  assert.deepEqual(first, [null, 'SIGKILL'])
})

test('validate of several pipes: none waits for another to end', () => {
  const long = `${JSON.stringify({ kind: 'assistant_message', text: 'x'.repeat(90_000) })}\n`
  const file = scratch('long.ndjson', appctl.replace('{"kind":"done"}\n', long.repeat(9)))
  const line = 'mkfifo a b c && { tee a b < long.ndjson > c & } && timeout 20 sluice validate --from appctl a long.ndjson b c'
  const { stdout, status } = shell(line, dirname(file))
  assert.equal(status, 1)
  assert.deepEqual(
    stdout.match(/^\S+: line 11, .*missing-end/gm)?.map((one) => one.split(':')[0]),
    ['a', 'long.ndjson', 'b', 'c'],
  )
})

async function childOf(pid: number, name: string): Promise<number> {
  for (;;) {
    for (const child of childrenOf(pid)) if (nameOf(child).includes(name)) return Number(child)
    await setTimeout(2)
  }
}

function childrenOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  } catch {
    return [] // it has ended
  }
}

/** How far a process has read a file. */
function placeIn(file: string, pid: number): number {
  try {
    const fd = readdirSync(`/proc/${pid}/fd`).find((one) => readlinkSync(`/proc/${pid}/fd/${one}`) === file)
    return fd === undefined ? 0 : Number(/pos:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'))?.[1])
  } catch {
    return 0 // another of its files was closed just now
  }
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // it has ended
  }
}
