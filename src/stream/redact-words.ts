// The ids and closed words of an event. A pattern of the user may match anything, and a stream whose kinds, reasons or ids are gone is
// none: in these only the exact values of keys are looked for.
import type { Kind } from '../model/event.ts'

const names: ReadonlySet<string> = new Set(
  'kind session run agent message call synthetic clock id task forkedFrom option'
    .split(' ')
    .concat(
      'by decision finish hostedBy how level of phase reason scope severity stage state status stream target toolKind trigger type why'.split(
        ' ',
      ),
    ),
)

/** Here these two are whatever somebody wrote. */
const texts: ReadonlySet<Kind> = new Set(['report', 'session.end', 'task.update'])

/** A field of the event itself. */
export const isWord = (kind: Kind, key: string): boolean => names.has(key) && !((key === 'state' || key === 'status') && texts.has(kind))

/** Of a field that holds records: the keys in them that are ids or closed words. */
export const wordsIn: Readonly<Record<string, readonly string[]>> = {
  byModel: [],
  changes: ['change'],
  content: ['type', 'mime'],
  cost: ['by'],
  denied: ['call'],
  entries: ['status'],
  error: ['category'],
  limits: ['state'],
  marker: ['type'],
  options: ['id', 'kind'],
  origin: ['dialect', 'from', 'id', 'type'],
  permitted: ['by'],
  rules: ['action'],
  servers: ['status'],
  suggestions: ['action'],
  tools: ['source'],
}
