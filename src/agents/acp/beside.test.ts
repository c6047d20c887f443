// What an agent says beside the turn that it was asked for: of sessions that nobody opened, and when its turn is over.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Rec } from '../../base/json.ts'
import { chunk, play, says, well } from '../rpc-support.test.ts'
import { session, whole } from '../support.test.ts'

const other: Rec = { ...chunk('not mine'), params: { ...(chunk('not mine')['params'] as Rec), sessionId: 's2' } }
const ended = says('$id', { stopReason: 'end_turn' })
const quick = { times: { lingerMs: 60 } }

test(
  'another session is told under its own name, and the run goes by its own, whenever the other speaks',
  { timeout: 20_000 },
  async () => {
    for (const [opening, prompted] of [
      [
        [other, ...well.acp['session/new']],
        [chunk('hi'), ended],
      ],
      [well.acp['session/new'], [chunk('hi'), other, ended]],
      [well.acp['session/new'], [chunk('hi'), ended, other]],
    ] as const) {
      const running = play('acp', { 'session/new': opening, 'session/prompt': prompted, '(eof)': [] }, quick)
      const { reason, text } = await whole(running)
      assert.deepEqual([reason, text], ['end_turn', 'hi'])
      assert.deepEqual(
        running.of('session.end').map((end) => end.session),
        ['s2', session],
      )
      const [first] = running.of('session.start')
      assert.deepEqual([first!.session, first!.native], [session, 's1'])
    }
  },
)

test('what comes after the answer to the prompt neither holds the run nor makes it fail', { timeout: 20_000 }, async () => {
  for (const stays of [{}, { '(eof)': [] }]) {
    const running = play('acp', { 'session/prompt': [chunk('hi'), ended, chunk('late')], ...stays }, quick)
    const { reason, text } = await whole(running)
    assert.deepEqual([reason, text, running.of('error').length], ['end_turn', 'hi', 0])
    assert.equal(running.of('text.delta').at(-1)!.text, 'late')
  }
})
