import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Done } from '../agents/contract.ts'
import type { Reason } from '../model/vocabulary.ts'
import type { Command } from '../supervise/contract.ts'
import { type Next, startAttempts } from './attempts.ts'
import type { Attempt } from './attempt.ts'

const doneWith = (reason: Reason): Done => ({ reason, durationMs: 1, turns: 1, usage: {} })
const prompt = (text: string): Command => ({ type: 'prompt', text })
const cancel = (target: 'turn' | 'session'): Command => ({ type: 'cancel', target, by: 'user', reason: 'cancelled' })
const wordOf = (command: Command): string => (command.type === 'prompt' ? command.text : command.type)

/** Attempts that end as told, one after another; between them is what `between` does. */
async function play(ends: readonly Reason[], again: Next, between: (run: Attempt, signal: AbortSignal) => unknown = () => {}) {
  const heard: string[][] = []
  const begin = (): Attempt => {
    const words: string[] = []
    let end!: (done: Done) => void
    const done = new Promise<Done>((resolve) => (end = resolve))
    const reason = ends[heard.push(words) - 1]!
    const send = (command: Command): void => {
      words.push(wordOf(command))
      if (command.type === 'finish') setImmediate(end, doneWith(reason))
    }
    return { send, force() {}, answer: () => true, choose: () => true, done }
  }
  const run = await startAttempts({
    begin,
    async next({ reason }, signal) {
      if (reason === 'end_turn') return undefined
      await between(run, signal)
      return signal.aborted ? undefined : again
    },
  })
  run.send(prompt('go'))
  run.send({ type: 'finish' })
  return { done: await run.done, heard }
}

test('another attempt is told all that was said, also what came between', async () => {
  const { done, heard } = await play(['error', 'error', 'end_turn'], 'all-again', (run) => run.send(prompt('and this')))
  assert.equal(done.reason, 'end_turn')
  assert.deepEqual(heard, [
    ['go', 'finish'],
    ['go', 'finish', 'and this'],
    ['go', 'finish', 'and this', 'and this'],
  ])
})

test('a session that goes on is told to, and what came between, and is not told the rest again', async () => {
  const { heard } = await play(['error', 'end_turn'], { prompt: 'go on' }, (run) => run.send(prompt('and this')))
  assert.deepEqual(heard[1], ['go on', 'and this', 'finish'])
})

test('what was said first is not forgotten when a session that went on fails', async () => {
  let times = 0
  const heard: string[][] = []
  const ends = [doneWith('error'), doneWith('error'), doneWith('end_turn')]
  const run = await startAttempts({
    begin() {
      const words: string[] = []
      const done = ends[heard.push(words) - 1]!
      return {
        send: (command) => void words.push(wordOf(command)),
        force() {},
        answer: () => true,
        choose: () => true,
        done: new Promise((resolve) => setImmediate(resolve, done)),
      }
    },
    next: async ({ reason }) => (reason === 'end_turn' ? undefined : times++ === 0 ? { prompt: 'go on' } : 'all-again'),
  })
  run.send(prompt('go'))
  await run.done
  assert.deepEqual(heard, [['go'], ['go on'], ['go']])
})

test('the end of the session ends the waiting, the end of a turn does not', async () => {
  const waits = async (run: Attempt, signal: AbortSignal): Promise<void> => {
    run.send(cancel('turn'))
    assert.equal(signal.aborted, false)
    const aborted = once(signal, 'abort')
    run.send(cancel('session'))
    await aborted
  }
  const { done, heard } = await play(['error', 'end_turn'], 'all-again', waits)
  assert.equal(done.reason, 'cancelled')
  assert.equal(heard.length, 1)
})

test('what an attempt has left behind is known to the end', async () => {
  const ends: Done[] = [{ ...doneWith('error'), forced: true }, doneWith('end_turn')]
  const run = await startAttempts({
    begin: (): Attempt => ({ send() {}, force() {}, answer: () => true, choose: () => true, done: Promise.resolve(ends.shift()!) }),
    next: async ({ reason }) => (reason === 'error' ? 'all-again' : undefined),
  })
  assert.deepEqual(await run.done, { ...doneWith('end_turn'), forced: true })
})
