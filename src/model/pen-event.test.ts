// An event made by a literal reads like one whose payload was spread behind the envelope.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kind, Payload } from './event.ts'
import { eventOf } from './pen-event.ts'

const place = { agent: 'a', message: 'm', block: 2, call: 'c' }
const base = { at: 5, session: 's', run: 'r' }

const made = (kind: Kind, payload: object): string =>
  JSON.stringify(eventOf(7, kind, payload as Payload<Kind>, place, base, undefined, 3, 'implied'))

const spread = (kind: Kind, payload: object): string =>
  JSON.stringify({ v: 1, seq: 7, at: 5, kind, session: 's', run: 'r', agent: 'a', turn: 3, ...rest, synthetic: 'implied', ...payload })
const rest = { message: 'm', block: 2, call: 'c' }

const payloads: readonly (readonly [Kind, object])[] = [
  ['text.end', { text: 't', streamed: true, startedAt: 1, endedAt: 2 }],
  ['thought.end', { text: 't', streamed: true, startedAt: 1, endedAt: 2, redacted: true, signature: 's' }],
  ['tool.start', { name: 'n', toolKind: 'read', server: 's', hostedBy: 'host', input: {}, title: 't', paths: ['p'] }],
  ['tool.start', { name: 'n', toolKind: 'read', title: 't', input: {}, server: 's', paths: ['p'], hostedBy: 'host' }],
  ['tool.delta', { of: 'input', text: 't' }],
  ['tool.end', { status: 'ok', text: 't', content: [], data: {}, error: {}, exitCode: 1, title: 't', startedAt: 1, endedAt: 2 }],
  ['tool.end', { status: 'ok', durationMs: 1, task: 't', permitted: { allow: true, by: 'user' } }],
  ['message.start', { model: 'm', provider: 'p', usage: {}, ttftMs: 1 }],
  ['message.end', { finish: 'error', model: 'm', provider: 'p', agentName: 'n', usage: {}, usageFinal: true, cost: {}, context: {} }],
  ['usage.update', { scope: 'turn', cumulative: true, usage: {}, context: {}, cost: {}, limits: [] }],
  ['skill.load', { name: 'n', level: 'listed', path: 'p', description: 'd' }],
  ['permission.answer', { decision: 'allow', by: 'rule', name: 'n', toolKind: 'read', permission: 'p', patterns: [], input: {} }],
  ['raw', { type: 't', why: 'redundant' }],
  ['notice', { level: 'info', code: 'c', text: 't' }],
]

for (const [kind, payload] of payloads) {
  test(`${kind}: ${Object.keys(payload).join(', ')}`, () => {
    const entries = Object.entries(payload)
    assert.equal(made(kind, payload), spread(kind, payload))
    assert.equal(made(kind, {}), spread(kind, {}))
    for (const [key] of entries) {
      const less = Object.fromEntries(entries.filter(([other]) => other !== key))
      assert.equal(made(kind, less), spread(kind, less), `without ${key}`)
      const last = { ...less, [key]: 1 }
      assert.equal(made(kind, last), spread(kind, last), `${key} at the end`)
    }
    const more = { ...payload, more: 1 }
    assert.equal(made(kind, more), spread(kind, more), 'a key that is not known')
  })
}

test('the keys of the envelope come first, and a place stands before what all events of the record have', () => {
  const event = eventOf(1, 'raw', { type: 't', why: 'unknown' }, { at: 9, session: 'o', run: 'q' }, base, undefined, undefined, undefined)
  assert.deepEqual([event.at, event.session, event.run], [9, 'o', 'q'])
  assert.equal(JSON.stringify(event), '{"v":1,"seq":1,"at":9,"kind":"raw","session":"o","run":"q","type":"t","why":"unknown"}')
})
