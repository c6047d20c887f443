// `sluice watch --follow`: real files, and writers in another process. Nobody sleeps: every step waits for what it must bring about.
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fixture } from './run.ts'
import { chunk, end, endLine, line, newFile, startWatch } from './watching.ts'
import { startWriter } from './writing.ts'

test('it waits for the file, tells each line once it is whole, and ends with the session', async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', file])
  await using writer = startWriter()
  await writer.open('log', file)
  await writer.write('log', chunk('one'))
  await watch.shows(line('one'))
  await writer.write('log', chunk('two'))
  await watch.shows(line('one') + line('two'))
  await writer.write('log', end)
  assert.deepEqual(await watch.ended, { code: 0, signal: null })
  assert.equal(watch.out(), line('one') + line('two') + endLine)
  assert.equal(watch.errors(), '')
})

test('a torn write, cut at any byte, also inside a character, is never told in parts', async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', file])
  await using writer = startWriter()
  await writer.open('log', file)
  const record = Buffer.from(chunk('é 漢 🦫 \\" {'))
  let told = ''
  for (let cut = 1; cut < record.length; cut++) {
    await writer.write('log', record.subarray(0, cut))
    await writer.write('log', record.subarray(cut))
    told += line('é 漢 🦫 \\" {')
    await watch.shows(told)
  }
  for (const byte of record) await writer.write('log', Uint8Array.of(byte))
  await watch.shows(told + line('é 漢 🦫 \\" {'))
  assert.equal(watch.errors(), '')
})

test('a line is out within 50 ms of its last byte', async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', file])
  writeFileSync(file, chunk('0'))
  let told = line('0')
  await watch.shows(told)
  const times: number[] = []
  for (let count = 1; count <= 50; count++) {
    told += line(String(count))
    const began = performance.now()
    appendFileSync(file, chunk(String(count)))
    await watch.shows(told)
    times.push(performance.now() - began)
  }
  const median = times.toSorted((a, b) => a - b)[25]!
  assert.ok(median < 50, `${median} ms at the median`)
})

test('a loop ends with its loop.end, not with a session in it', async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', file])
  const run = '"run_id":"r"'
  appendFileSync(file, `{"event":"avenor.loop.start",${run},"max_iterations":2}\n${chunk('one')}${end}`)
  await watch.until(() => watch.out().endsWith(endLine))
  appendFileSync(file, chunk('two') + end)
  await watch.until(() => watch.out().endsWith(line('two') + endLine))
  appendFileSync(file, `{"event":"avenor.loop.end",${run},"exit_reason":"end_turn"}\n`)
  assert.equal((await watch.ended).code, 0)
  assert.ok(watch.out().endsWith('EVENT avenor.loop.end  loop end: end_turn\n'))
})

test('sessions that stand one after another in the file are all read; --session waits for its own', async () => {
  const file = newFile()
  writeFileSync(file, chunk('one') + end + chunk('two', 't') + end.replace('"s"', '"t"') + chunk('three', 'u'))
  await using watch = startWatch(['--follow', file])
  await using other = startWatch(['--follow', '--session', 't', file])
  assert.equal((await other.ended).code, 0)
  assert.equal(other.out(), line('two', 't') + endLine.replace(' s ', ' t '))
  await watch.until(() => watch.out().includes('three'))
  appendFileSync(file, end.replace('"s"', '"u"'))
  assert.equal((await watch.ended).code, 0)
})

test('a Claude stream is over when its turn has ended and nothing follows, and its end is told', async () => {
  const [text, file] = [readFileSync(fixture('claude/2.1.325/a-text.ndjson')), newFile()]
  await using watch = startWatch(['--follow', file])
  await using writer = startWriter()
  await writer.open('log', file)
  for (let at = 0; at < text.length; at += 700) await writer.write('log', text.subarray(at, at + 700))
  assert.equal((await watch.ended).code, 0)
  assert.match(watch.out(), /^EVENT session\.start [^]*EVENT session\.end \S+ stop_reason=end_turn\n$/)
})

test('an opencode run that stops at a refused question is over, and so is an Avenor session whose end does not say why', async () => {
  await using refused = startWatch(['--follow', fixture('opencode/1.18.33/run/e-write-ask.ndjson')])
  const file = newFile()
  writeFileSync(file, chunk('one') + '{"event":"session.end","session_id":"s"}\n')
  await using unsaid = startWatch(['--follow', file])
  assert.equal((await unsaid.ended).code, 0)
  assert.equal(unsaid.out(), `${line('one')}EVENT session.end s stop_reason=\n`)
  assert.equal((await refused.ended).code, 0)
  assert.match(refused.out(), /EVENT session\.end \S+ stop_reason=blocked\n$/)
})

test('a truncated log is read from its start; half a line that was left is told as such', async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', file])
  await using writer = startWriter()
  await writer.open('log', file)
  await writer.write('log', chunk('one') + chunk('never ended').slice(0, 30))
  await watch.shows(line('one'))
  await writer.step({ do: 'truncate', as: 'log' })
  await writer.write('log', chunk('two'))
  await watch.shows(line('one') + line('two'))
  assert.match(watch.errors(), /was truncated; it is read from its start\n/)
  assert.match(watch.errors(), /sluice: line 2, byte \d+: not valid JSON \(bad-json\)\n/)
  await writer.write('log', end)
  assert.equal((await watch.ended).code, 0)
})

test('a rotated log is read to its end, and then the new one', async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', file])
  await using writer = startWriter()
  await writer.open('old', file)
  await writer.write('old', chunk('1'))
  await watch.shows(line('1'))
  await writer.step({ do: 'rename', file, to: `${file}.1` })
  await writer.write('old', chunk('2'))
  await writer.open('new', file)
  await writer.write('old', chunk('3').slice(0, -1)) // its last line has no end
  await writer.write('new', chunk('4'))
  await watch.shows(['1', '2', '3', '4'].map((text) => line(text)).join(''))
  assert.match(watch.errors(), /^sluice: ".*" was replaced; it is read from its start\n$/)
})

test('a log that is replaced, removed and made again goes on', async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', file])
  await using writer = startWriter()
  await writer.step({ do: 'rewrite', file, text: chunk('1') })
  await watch.shows(line('1'))
  await writer.step({ do: 'rewrite', file: `${file}.new`, text: chunk('2') })
  await writer.step({ do: 'rename', file: `${file}.new`, to: file })
  await watch.shows(line('1') + line('2'))
  await writer.step({ do: 'remove', file })
  await writer.step({ do: 'rewrite', file, text: chunk('3') })
  await watch.shows(line('1') + line('2') + line('3'))
})

test('a log in whose place another dialect comes is read as that; what goes on in the same one stays open', async () => {
  const claude = readFileSync(fixture('claude/2.1.325/a-text.ndjson'), 'utf8')
  const loop = '{"event":"avenor.loop.start","run_id":"r","max_iterations":2}\n'
  for (const way of ['rename', 'truncate'] as const) {
    const file = newFile()
    await using watch = startWatch(['--follow', file])
    await using forced = startWatch(['--follow', '--from', 'avenor', file])
    await using writer = startWriter()
    const put = async (text: string): Promise<void> => {
      await writer.step({ do: 'rewrite', file: way === 'rename' ? `${file}.new` : file, text })
      if (way === 'rename') await writer.step({ do: 'rename', file: `${file}.new`, to: file })
    }
    await put(loop + chunk('1') + end)
    await watch.until(() => watch.out().endsWith(endLine))
    await forced.until(() => forced.out().endsWith(endLine))
    await put(`${loop}${chunk('2')}${' '.repeat(300)}\n`)
    await watch.until(() => watch.out().endsWith(line('2')))
    await forced.until(() => forced.out().endsWith(line('2')))
    await put(claude)
    assert.equal((await watch.ended).code, 0)
    assert.match(watch.out(), /EVENT agent.message_chunk s 2\nEVENT session\.start [^]*EVENT session\.end \S+ stop_reason=end_turn\n$/)
    assert.match(watch.errors(), /"[^"]*" was \w+; it is read from its start\nsluice: it is claude now, no longer avenor\n$/)
    await forced.says(/line \d+, byte \d+/)
  }
})

test('a writer that is killed in the middle of a line does no harm', async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', file])
  {
    await using writer = startWriter()
    await writer.open('log', file)
    await writer.write('log', chunk('one') + chunk('two').slice(0, 40))
    await watch.shows(line('one'))
    await writer.kill()
  }
  appendFileSync(file, `\n${chunk('three')}${end}`)
  assert.equal((await watch.ended).code, 0)
  assert.equal(watch.out(), line('one') + line('three') + endLine)
  assert.match(watch.errors(), /^sluice: line 2, byte \d+: not valid JSON \(bad-json\)\n$/)
})

test('the dialect of an empty file is told by its first records, and a record of no known one waits', async () => {
  const file = newFile()
  writeFileSync(file, '')
  await using watch = startWatch(['--follow', '--format', 'json', file])
  appendFileSync(file, '{"who":"knows"}\n')
  appendFileSync(file, '{"kind":"user_prompt","text":"hi"}\n')
  await watch.shows('{"who":"knows"}\n{"kind":"user_prompt","text":"hi"}\n')
})

test("a user's own event, alone in the file, is told at once", async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', file])
  writeFileSync(file, '{"event":"deploy.checked","session_id":"s"}\n')
  await watch.shows('EVENT deploy.checked s \n')
})

test('several files are told as they come, each in its own dialect, and the last one ends it', async () => {
  const [avenor, appctl] = [newFile(), newFile()]
  await using watch = startWatch(['--follow', avenor, appctl])
  appendFileSync(appctl, '{"kind":"user_prompt","text":"hi"}\n')
  const prompt = 'EVENT session.start  \nEVENT user.message_chunk  hi\n'
  await watch.shows(prompt)
  appendFileSync(avenor, chunk('one') + end)
  await watch.shows(prompt + line('one') + endLine)
  appendFileSync(appctl, 'broken\n{"kind":"done"}\n')
  assert.equal((await watch.ended).code, 0)
  assert.equal(watch.out(), `${prompt}${line('one')}${endLine}EVENT session.end  stop_reason=end_turn\n`)
  assert.match(watch.errors(), /^sluice: .+: line 2, byte 35: not JSON \(noise\)\n$/)
})

test('accumulate holds a message until something else comes', async () => {
  const file = newFile()
  await using watch = startWatch(['--follow', '--accumulate', file])
  for (const text of ['one ', 'message\n']) appendFileSync(file, chunk(text))
  appendFileSync(file, '{"event":"tool.call","session_id":"s","kind":"bash","title":"ls","status":"pending"}\n')
  await watch.shows(`${line('one message')}EVENT tool.call s bash:ls [pending]\n`)
  appendFileSync(file, chunk('rest') + end)
  assert.equal((await watch.ended).code, 0)
  assert.ok(watch.out().endsWith(line('rest') + endLine))
})
