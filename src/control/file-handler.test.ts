import assert from 'node:assert/strict'
import { chownSync, existsSync, linkSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rec } from '../base/json.ts'
import { firstOf } from './answerers.ts'
import type { Answerer, Reply } from '../run/contract.ts'
import { createFileHandler, type FileHandler } from './file-handler.ts'
import { newFolder, question } from './support.test.ts'

function handlerIn(folder: string) {
  const base = join(folder, 'perm')
  const told: string[] = []
  return {
    base,
    request: `${base}.req`,
    response: `${base}.req.response`,
    told,
    handler: createFileHandler(base, (text) => told.push(text)),
  }
}

async function ask(handler: FileHandler, id: string, gone: AbortController): Promise<Reply | undefined> {
  await handler.before(question(id), gone.signal)
  return handler(question(id), gone.signal)
}

const answerWith = (path: string, value: Rec): void => writeFileSync(path, JSON.stringify(value))

test('the question stands in a file before the stream tells of it, and for nobody else to read', async () => {
  const { handler, request } = handlerIn(newFolder())
  const gone = new AbortController()
  await handler.before(question('q1'), gone.signal)
  assert.equal(statSync(request).mode & 0o777, 0o600)
  const text = readFileSync(request, 'utf8')
  assert.match(text, /^\{\n {2}"request_id": "q1",[^]*\}\n$/)
  assert.deepEqual(JSON.parse(text), {
    request_id: 'q1',
    session_id: 's',
    tool: 'bash',
    question: 'Allow bash: bash "rm -r x"?',
    options: [
      { optionId: 'allow_once', kind: 'allow', name: 'Allow once' },
      { optionId: 'reject_once', kind: 'reject', name: 'Reject' },
    ],
    payload: { permission: 'bash', patterns: ['rm -r x'] },
  })
  gone.abort()
  assert.equal(existsSync(request), false)
})

test('the answer is taken when it is there, and both files go', async () => {
  const { handler, request, response } = handlerIn(newFolder())
  const gone = new AbortController()
  const reply = ask(handler, 'q1', gone)
  await Promise.resolve()
  answerWith(response, { request_id: 'q1', outcome: 'selected', option_id: 'allow_once', message: 'go on' })
  assert.deepEqual(await reply, { option: 'allow_once', by: 'file', text: 'go on' })
  gone.abort()
  assert.deepEqual([existsSync(request), existsSync(response)], [false, false])
})

test('an answer that was there before the question is none', async () => {
  const { handler, response } = handlerIn(newFolder())
  answerWith(response, { option_id: 'allow_once' })
  const gone = new AbortController()
  await handler.before(question('q1'), gone.signal)
  assert.equal(existsSync(response), false)
  gone.abort()
})

test('half an answer is read again until it is whole', async () => {
  const { handler, response, told } = handlerIn(newFolder())
  const gone = new AbortController()
  await handler.before(question('q1'), gone.signal)
  const reply = handler(question('q1'), gone.signal)
  const text = JSON.stringify({ option_id: 'reject_once', message: '' })
  for (const length of [0, 5, text.length - 1]) {
    writeFileSync(response, text.slice(0, length))
    await sleep(20)
  }
  writeFileSync(response, text)
  assert.deepEqual(await reply, { option: 'reject_once', by: 'file' })
  assert.deepEqual(told, [])
  gone.abort()
})

test('an answer to another question, or none that was offered, is removed and told of', async () => {
  const { handler, response, told } = handlerIn(newFolder())
  const gone = new AbortController()
  await handler.before(question('q2'), gone.signal)
  const reply = handler(question('q2'), gone.signal)
  const wrong: [Rec, RegExp][] = [
    [{ request_id: 'q1', option_id: 'allow_once' }, /answers another question/],
    [
      { option_id: 'yes' },
      /"yes" is not an option of this question; offered are allow_once, reject_once; allow and reject are understood too/,
    ],
    [{ option_id: 'allow_once', outcome: 'maybe' }, /"outcome" must be/],
    [{ option_id: 'allow_once', message: 'x'.repeat(65_537) }, /no more than 65536 bytes/],
  ]
  for (const [index, [value, message]] of wrong.entries()) {
    answerWith(response, value)
    while (told.length <= index) await sleep(2)
    assert.match(told[index]!, message)
    assert.equal(existsSync(response), false)
  }
  answerWith(response, { request_id: 'q2', option_id: 'allow' })
  assert.deepEqual(await reply, { option: 'allow_once', by: 'file' })
  gone.abort()
})

test('a link is no answer', async () => {
  const folder = newFolder()
  const { handler, response, told } = handlerIn(folder)
  const elsewhere = join(folder, 'elsewhere')
  answerWith(elsewhere, { option_id: 'allow_once' })
  const gone = new AbortController()
  await handler.before(question('q1'), gone.signal)
  const reply = handler(question('q1'), gone.signal)
  for (const link of [symlinkSync, linkSync]) {
    const before = told.length
    link(elsewhere, response)
    while (existsSync(response)) await sleep(2)
    assert.ok(told.length >= before)
  }
  assert.match(told[0]!, /it is a link/)
  assert.ok(existsSync(elsewhere))
  gone.abort()
  assert.equal(await reply, undefined)
})

test('a file of another user is no answer', { skip: process.geteuid!() !== 0 }, async () => {
  const { handler, response, told } = handlerIn(newFolder())
  const gone = new AbortController()
  await handler.before(question('q1'), gone.signal)
  const reply = handler(question('q1'), gone.signal)
  writeFileSync(`${response}.new`, '{"option_id":"allow_once"}')
  chownSync(`${response}.new`, 65_534, 65_534)
  renameSync(`${response}.new`, response)
  while (told.length === 0) await sleep(2)
  assert.match(told[0]!, /belongs to another user/)
  gone.abort()
  assert.equal(await reply, undefined)
})

test('a cancelled answer is a no that ends the turn', async () => {
  const { handler, response } = handlerIn(newFolder())
  const gone = new AbortController()
  const reply = ask(handler, 'q1', gone)
  await Promise.resolve()
  answerWith(response, { outcome: 'cancelled', option_id: 'allow_once' })
  assert.deepEqual(await reply, { option: 'reject_once', by: 'file', stop: true })
  gone.abort()
})

test('of two questions the second is written when the first is settled', async () => {
  const { handler, request, response } = handlerIn(newFolder())
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
  const asked = (): unknown => (JSON.parse(readFileSync(request, 'utf8')) as Rec)['request_id']
  await handler.before(question('q1'), first.signal)
  const later = ask(handler, 'q2', second)
  const last = ask(handler, 'q3', third)
  await sleep(5)
  assert.equal(asked(), 'q1')
  second.abort()
  first.abort()
  assert.equal(await later, undefined)
  while (!existsSync(request)) await sleep(1)
  assert.equal(asked(), 'q3')
  answerWith(response, { request_id: 'q3', option_id: 'allow_once' })
  assert.equal((await last)?.option, 'allow_once')
  third.abort()
})

test('who cannot write the question has nothing to say', async () => {
  const { handler, told } = handlerIn(join(newFolder(), 'missing'))
  assert.equal(await ask(handler, 'q1', new AbortController()), undefined)
  assert.match(told[0]!, /the question cannot be written to .*ENOENT/)
})

test('of several who are asked the first answer counts; when none has one there is none', async () => {
  const says =
    (reply: Reply | undefined, ms: number): Answerer =>
    () =>
      sleep(ms, reply)
  const fails: Answerer = () => Promise.reject(new Error('gone'))
  const yes: Reply = { option: 'allow_once', by: 'terminal' }
  const no: Reply = { option: 'reject_once', by: 'file' }
  const { signal } = new AbortController()
  assert.equal(await firstOf([says(undefined, 1), says(yes, 20), fails, says(no, 10)])(question('q'), signal), no)
  assert.equal(await firstOf([says(undefined, 1), fails])(question('q'), signal), undefined)
  assert.equal(await firstOf([])(question('q'), signal), undefined)
})
