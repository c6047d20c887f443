import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../model/event.ts'
import { createScripted } from './scripted.ts'

const answer = (provider?: string): Partial<Event> => ({ kind: 'message.start', model: 'claude-sonnet-4-5', ...(provider && { provider }) })

function told(events: readonly Partial<Event>[]): { turn: boolean; session: boolean } {
  const scripted = createScripted()
  for (const event of events) scripted.push(event as Event)
  return { turn: scripted.turn(), session: scripted.session() }
}

test('a session is scripted when all its answers are', () => {
  assert.deepEqual(told([{ kind: 'session.start', model: 'claude-sonnet-4-5', provider: 'script' }]), { turn: true, session: true })
  assert.deepEqual(told([{ kind: 'session.start', model: 'script/fix.yaml' }, answer()]), { turn: true, session: true })
  assert.deepEqual(told([answer('script'), answer('script')]), { turn: true, session: true })
  assert.deepEqual(told([{ kind: 'session.start', model: 'claude-sonnet-4-5', provider: 'anthropic' }, answer()]), {
    turn: false,
    session: false,
  })
  assert.deepEqual(told([]), { turn: false, session: false })
})

test('after a change of the model each turn is what its own answers are', () => {
  const first = [{ kind: 'turn.start' as const }, answer('script')]
  assert.deepEqual(told([...first, { kind: 'turn.start' }, answer('anthropic')]), { turn: false, session: false })
  assert.deepEqual(told([answer('anthropic'), ...first]), { turn: true, session: false })
})
