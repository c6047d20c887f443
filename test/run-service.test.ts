// A run that is started without a command line: its handle says what it is asked, and all of it stands in the stream.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Event } from '../src/model/event.ts'
import { loadCatalog } from '../src/prices/packaged.ts'
import { agentOf } from '../src/run/agent.ts'
import { requestOf } from '../src/run/request.ts'
import { startRun, type StartedRun } from '../src/run/service.ts'
import { openSession } from '../src/run/session.ts'
import type { Surroundings } from '../src/run/surroundings.ts'
import { model, place } from './run-support.ts'

/** Its agent wants to run a command, which nothing but an answer allows. */
async function begin(t: TestContext, push: (event: Event) => void = () => {}): Promise<{ run: StartedRun; cwd: string }> {
  const here = place(t)
  const cwd = here.root
  const { args } = await model(t, here, 'script', 'turns: [{tools: [{name: bash, input: {command: touch a}}]}, {text: Done.}]')
  const around: Surroundings = {
    env: { ...here.env },
    cwd,
    dataFolder: join(here.top, 'data'),
    version: '0',
    prices: await loadCatalog(),
    now: Date.now,
    report: (line) => assert.fail(line),
    openRecording: () => Promise.reject(new Error('none')),
  }
  const request = requestOf({ cwd, model: args[1]!, handler: 'control', id: 'r1' })
  const agent = await agentOf(request, around)
  const session = await openSession(request.session, join(around.dataFolder, 'sessions'), cwd)
  return { cwd, run: await startRun(request, around, { agent, session, sinks: [{ push, flush() {}, end() {} }] }) }
}

test('the handle of a run answers, emits, tells its status, and ends', async (t) => {
  const events: Event[] = []
  const asked = Promise.withResolvers<string>()
  const { run, cwd } = await begin(t, (event) => {
    events.push(event)
    if (event.kind === 'permission.request') asked.resolve(event.id)
  })
  await run.send({ type: 'prompt', text: 'go' })
  await run.send({ type: 'finish' })
  const id = await asked.promise
  const status = await run.status()
  assert.deepEqual([status.run, status.questions.length, status.cwd], ['r1', 1, cwd])
  await run.emit({ event: 'my.mark', of: 1 })
  await assert.rejects(run.answer('nobody', { option: 'allow_once', by: 'host' }), /"nobody" is not open/)
  await run.answer(id, { option: 'reject_once', by: 'host', text: 'not now' })
  await assert.rejects(run.answer(id, { option: 'allow_once', by: 'host' }), /is not open/)
  const { reason } = await run.done
  assert.equal(reason, 'end_turn')
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  )
  assert.equal(events.filter((event) => JSON.stringify(event).includes('my.mark')).length, 1)
  assert.equal(events.find((event) => event.kind === 'permission.answer' && event.id === id)?.kind, 'permission.answer')
})

test('a run that is stopped ends as cancelled', async (t) => {
  const { run } = await begin(t)
  await run.send({ type: 'prompt', text: 'go' })
  await run.stop({ text: 'enough' })
  assert.equal((await run.done).reason, 'cancelled')
})
