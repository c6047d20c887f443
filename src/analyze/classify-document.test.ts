// Avenor's classification as its document and program have it, record by record, against ours, which sees only events.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsByRecord, highest } from '../../test/fold.ts'
import { holds } from '../../test/properties.ts'
import { isRecord, type Rec } from '../base/json.ts'
import { legalStream } from '../testing/index.ts'
import type { Random } from '../testing/index.ts'
import type { Class } from './classes.ts'
import { createClassifier } from './classify.ts'

const milestones = [
  'session.end',
  'permission.request',
  'avenor.loop.start',
  'avenor.loop.end',
  'avenor.phase.end',
  'avenor.retry',
  'avenor.error',
]
const lower = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')

/** Text rules apart: they have tests of their own. */
function documented(record: Rec): Class {
  const { event, phase, kind, status, title, command, rawInput } = record
  if (milestones.includes(event as string)) return 'MILESTONE'
  if (event === 'agent.status') return phase === 'done' || phase === 'waiting' ? 'MILESTONE' : 'ACTIVITY'
  if (event !== 'tool.call' && event !== 'tool.call_update') return 'ACTIVITY'
  const input: unknown = typeof rawInput === 'string' && rawInput.startsWith('{') ? JSON.parse(rawInput) : rawInput
  const typed = isRecord(input) ? input['command'] : undefined // ours: what others call the command stands here
  if (lower(kind) === 'commit' || (lower(kind) === 'task' && lower(status) === 'completed')) return 'MILESTONE'
  return [title, command, typed].some((text) => lower(text).includes('git commit')) ? 'MILESTONE' : 'ACTIVITY'
}

/** Tools as the generators do not make them up. */
function withCommits(records: readonly Rec[], random: Random): Rec[] {
  const kinds = new Map<unknown, string>()
  return records.map((record) => {
    const id = record['toolCallId']
    if (id === undefined) return record
    if (!kinds.has(id)) kinds.set(id, random.pick(['commit', 'task', 'bash', 'other']))
    return { ...record, kind: kinds.get(id), title: random.pick(['Save', 'run git commit', 'Look', 'Git Commit -a']) }
  })
}

test('every record of a log has the class of the document', () =>
  holds(300, (seed, random) => {
    const records = withCommits(legalStream('avenor', seed), random)
    const classifier = createClassifier()
    const found = eventsByRecord(records, 'avenor').slice(0, records.length)
    for (const [index, events] of found.entries()) {
      const record = records[index]!
      const ours = highest(events.map((event) => classifier.push(event)))
      if (ours !== 'FINDING') assert.equal(ours, documented(record), JSON.stringify(records.slice(0, index + 1)))
      else assert.match(String(record['event']), /chunk$/)
    }
  }))
