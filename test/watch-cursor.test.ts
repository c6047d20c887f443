// `sluice watch --since-cursor`: where it goes on, what it refuses, and that no line is lost whenever it is killed.
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fixture, sluice } from './run.ts'
import { chunk, end, endLine, line, newFile, startWatch } from './watching.ts'

const cursorOf = (file: string): string => `${file}.cursor`
const offset = (file: string): string => readFileSync(cursorOf(file), 'utf8')
const once = (file: string, ...more: string[]) => sluice(['watch', '--since-cursor', cursorOf(file), ...more, file])
/** A log cut behind the record that ends each turn. */
const turnsOf = (name: string): string[] =>
  readFileSync(fixture(name), 'utf8')
    .split(/(?<="type":"result".*\n)/)
    .filter((part) => part !== '')

test('a second run tells only what is new', () => {
  const file = newFile()
  writeFileSync(file, chunk('one'))
  assert.equal(once(file).stdout, line('one'))
  assert.equal(offset(file), `${chunk('one').length}\n`)
  assert.equal(once(file).stdout, '')
  appendFileSync(file, chunk('zwei ü') + chunk('three'))
  assert.equal(once(file).stdout, line('zwei ü') + line('three'))
  assert.equal(offset(file), `${readFileSync(file).length}\n`)
  assert.deepEqual(readdirSync(dirname(file)).toSorted(), ['events.ndjson', 'events.ndjson.cursor'])
})

test('it never passes a line that is not whole', () => {
  const file = newFile()
  const [whole, half] = [chunk('one'), chunk('two')]
  for (const cut of [1, 30, half.length - 1]) {
    writeFileSync(file, whole + half.slice(0, cut))
    writeFileSync(cursorOf(file), '0\n')
    assert.deepEqual([once(file).stdout, once(file).stderr, offset(file)], [line('one'), '', `${whole.length}\n`])
    appendFileSync(file, half.slice(cut))
    assert.equal(once(file).stdout, line('two'))
  }
})

test('a log without a record yet is no error: what stands in it is told with the first', () => {
  const file = newFile()
  const told = (): unknown[] => {
    const { stdout, stderr, status } = once(file)
    return [stdout, stderr, status]
  }
  writeFileSync(file, 'starting\n')
  assert.deepEqual(told(), ['', '', 0])
  appendFileSync(file, chunk('one'))
  assert.deepEqual(told(), [line('one'), 'sluice: line 1, byte 0: not JSON (noise)\n', 0])
})

test('lines are numbered as in the file, and what came before is known', () => {
  const file = newFile()
  writeFileSync(file, `broken\n${chunk('one')}`)
  assert.match(once(file).stderr, /line 1,/)
  appendFileSync(file, 'broken\n{"event":"tool.call","kind":"bash","session_id":"s"}\n')
  const { stdout, stderr } = once(file)
  assert.deepEqual([stdout, stderr.match(/line \d+/g)], ['EVENT tool.call s bash\n', ['line 3']])
})

test('a phrase that began before the cursor is still found', () => {
  const file = newFile()
  writeFileSync(file, chunk('the reviewer '))
  assert.equal(once(file, '--classify').stdout, line('the reviewer'))
  appendFileSync(file, chunk('flagged it'))
  assert.equal(once(file, '--classify').stdout, `FINDING ${line('flagged it')}`)
})

test('the end of a finished turn is told once, by the run that reads it, and so is the next', () => {
  for (const name of ['claude/2.1.325/a-text', 'codex/exec/a-text', 'opencode/1.18.33/run/a-text', 'acp/claude/a-text']) {
    const text = readFileSync(fixture(`${name}.ndjson`), 'utf8')
    const file = newFile()
    const tells = (more: string): number => {
      appendFileSync(file, more)
      return once(file, '--only', 'milestone').stdout.match(/^EVENT session\.end \S+ stop_reason=end_turn$/gm)?.length ?? 0
    }
    const last = text.lastIndexOf('\n', text.length - 2) + 1
    assert.deepEqual([name, tells(text.slice(0, last)) + tells(text.slice(last)), tells('')], [name, 1, 0])
    assert.equal(offset(file), `${readFileSync(file).length}\n`)
  }
  const [first = '', second = ''] = turnsOf('claude/2.1.325/j-stdin-multiturn.ndjson')
  const file = newFile()
  const ends = (): number => once(file).stdout.match(/session\.end/g)?.length ?? 0
  writeFileSync(file, first + second.slice(0, 50)) // half a line of the next turn
  assert.deepEqual([ends(), ends()], [1, 0])
  appendFileSync(file, second.slice(50))
  assert.deepEqual([ends(), ends()], [1, 0])
})

test('a kill while more may come does not lose the end of the turn', async () => {
  const [text, file] = [readFileSync(fixture('claude/2.1.325/a-text.ndjson')), newFile()]
  writeFileSync(file, text)
  {
    await using watch = startWatch(['--follow', '--since-cursor', cursorOf(file), file])
    await watch.until(() => watch.out().includes('agent.message_chunk'))
    while (!existsSync(cursorOf(file))) await new Promise(setImmediate)
  }
  const { stdout } = once(file)
  assert.match(stdout, /EVENT session\.end \S+ stop_reason=end_turn\n$/)
  assert.equal(once(file).stdout, '')
})

test('a cursor that cannot be used is wrong usage, and says why', () => {
  const file = newFile()
  writeFileSync(file, chunk('one'))
  for (const [text, message] of [
    ['-5\n', /not a number of bytes/],
    ['soon\n', /not a number of bytes/],
    ['', /not a number of bytes/],
    ['9999\n', /shorter than the cursor/],
  ] as const) {
    writeFileSync(cursorOf(file), text)
    const { status, stdout, stderr } = once(file)
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, message)
    assert.equal(offset(file), text)
  }
  const missing = sluice(['watch', '--since-cursor', `${file}/no/cursor`, file])
  assert.deepEqual([missing.status, missing.stdout], [2, ''])
  mkdirSync(`${file}.folder`)
  const taken = sluice(['watch', '--since-cursor', `${file}.folder`, file])
  assert.deepEqual([taken.status, taken.stdout], [2, ''])
  assert.match(taken.stderr, /it is a folder/)
  for (const args of [[file, newFile()], ['-'], []])
    assert.match(sluice(['watch', '--since-cursor', cursorOf(file), ...args]).stderr, /--since-cursor is for one file/)
})

test('when following it is saved as lines are told, and when a signal ends it', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const) {
    const file = newFile()
    await using watch = startWatch(['--follow', '--since-cursor', cursorOf(file), file])
    let text = ''
    for (let count = 1; count <= 10; count++) {
      text += chunk(String(count))
      appendFileSync(file, chunk(String(count)))
    }
    await watch.until(() => watch.out().split('\n').length === 11)
    while (!existsSync(cursorOf(file)) || offset(file) !== `${text.length}\n`) await new Promise(setImmediate)
    appendFileSync(file, chunk('11') + chunk('half').slice(0, 20))
    await watch.until(() => watch.out().endsWith(line('11')))
    watch.child.kill(signal)
    assert.deepEqual(await watch.ended, { code, signal: null })
    assert.equal(offset(file), `${text.length + chunk('11').length}\n`)
  }
})

test('text that is still joined is not passed, so a kill loses nothing', async () => {
  const file = newFile()
  writeFileSync(file, chunk('one') + '{"event":"x","session_id":"s"}\n' + chunk('two ') + chunk('parts'))
  const args = ['--follow', '--accumulate', '--since-cursor', cursorOf(file), file]
  {
    await using watch = startWatch(args)
    await watch.shows(`${line('one')}EVENT x s \n`)
    const safe = `${chunk('one').length + '{"event":"x","session_id":"s"}\n'.length}\n`
    while (!existsSync(cursorOf(file)) || offset(file) !== safe) await new Promise(setImmediate)
  }
  await using again = startWatch(args)
  appendFileSync(file, end)
  assert.equal((await again.ended).code, 0)
  assert.equal(again.out(), line('two parts') + endLine)
})

test('kill -9 at any time: the cursor is valid, and going on from it leaves no gap', async () => {
  const file = newFile()
  const texts: string[] = []
  const seen = new Set<string>()
  for (let round = 0; round < 6; round++) {
    await using watch = startWatch(['--follow', '--since-cursor', cursorOf(file), file])
    for (let count = 0; count < 40; count++) {
      const text = `${round}.${count}`
      texts.push(text)
      appendFileSync(file, chunk(text))
    }
    await watch.until(() => watch.out().includes(` ${round}.${round * 6} `.trimEnd())) // somewhere in the middle, another place each time
    watch.child.kill('SIGKILL')
    await watch.ended
    for (const [, text] of watch.out().matchAll(/s (\S+)\n/g)) seen.add(text!)
    if (existsSync(cursorOf(file))) {
      const at = Number(offset(file))
      assert.match(offset(file), /^\d+\n$/)
      assert.ok(at === 0 || readFileSync(file, 'utf8')[at - 1] === '\n', 'it stands at the start of a line')
    }
  }
  for (const [, text] of once(file).stdout.matchAll(/s (\S+)\n/g)) seen.add(text!)
  assert.deepEqual(
    texts.filter((text) => !seen.has(text)),
    [],
  )
})

test('a truncated log: the cursor is a place in what it is now', async () => {
  const file = newFile()
  writeFileSync(file, chunk('a long first text, longer than the rest'))
  await using watch = startWatch(['--follow', '--since-cursor', cursorOf(file), file])
  await watch.until(() => watch.out() !== '')
  writeFileSync(file, chunk('b'))
  await watch.until(() => watch.out().endsWith(line('b')))
  appendFileSync(file, end)
  assert.equal((await watch.ended).code, 0)
  assert.equal(offset(file), `${(chunk('b') + end).length}\n`)
})

test('a cursor that can no longer be written ends it with 1', async () => {
  const [file, cursor] = [newFile(), newFile()]
  await using watch = startWatch(['--follow', '--since-cursor', cursor, file])
  appendFileSync(file, chunk('one'))
  await watch.shows(line('one'))
  rmSync(dirname(cursor), { recursive: true })
  appendFileSync(file, chunk('two'))
  await watch.until(() => watch.out().includes('two'))
  appendFileSync(file, chunk('three'))
  assert.equal((await watch.ended).code, 1)
  assert.match(watch.errors(), /^sluice: cannot write the cursor ".*": its folder does not exist\n$/)
})
