// Keys that a dialect does not know are kept beside an event, in `ext`. Written into that dialect again, they are put where they stood.
// Which record do they belong to? The one of the same type that tells the same event first when it is read: so all that is written is read
// along.
import { isRecord, type Rec, stringifyJson } from '../base/json.ts'
import type { Event } from '../model/event.ts'

/** An encoder holds few events back. */
const most = 64

export type Restorer = ReturnType<typeof createRestorer>

/** `tellerIn` reads a record and gives the event that its unknown keys belong to; `putBack` is false when not all of them have a place. */
export function createRestorer(
  name: string,
  tag: (record: Rec) => string | undefined,
  tellerIn: (record: Rec) => Event | undefined,
  putBack: (record: Rec, unknown: Rec) => boolean,
  lost: (event: Event) => void,
) {
  const waiting: Event[] = []
  return {
    /** The keys wait for their record. False: some are not of this dialect, or no record is written from the event. */
    expect(event: Event): boolean {
      if (event.kind === 'raw') return false
      for (const key in event.ext) if (key !== name) return false
      if (waiting.push(event) > most) lost(waiting.shift()!)
      return true
    },
    isWaiting: (event: Event): boolean => waiting.includes(event),
    /** No record will tell it. */
    forget(event: Event): void {
      const at = waiting.indexOf(event)
      if (at === -1) return
      waiting.splice(at, 1)
      lost(event)
    },
    push(record: Rec): void {
      const told = tellerIn(record)
      const isOfType = ({ origin }: Event): boolean => origin?.type === undefined || origin.type === tag(record)
      const at = told === undefined ? -1 : waiting.findIndex((event) => isOfType(event) && isSame(event, told))
      if (at === -1) return
      const [event] = waiting.splice(at, 1) as [Event]
      if (!putBack(record, event.ext![name] as Rec)) lost(event)
    },
    end: (): void => waiting.forEach(lost),
  }
}

/** Nothing that both of them say differs. */
function isSame(one: Event, other: Event): boolean {
  const { kind, synthetic } = one
  if (synthetic !== other.synthetic) return false
  for (const key in one) {
    if (beside.has(key) || (kind === 'prompt.submit' && ofPrompt.has(key))) continue
    const told = (other as unknown as Rec)[key]
    if (key === 'message' && other.message?.startsWith('~') === true) continue // the dialect names no messages
    if (!agrees((one as unknown as Rec)[key], told)) return false
  }
  return true
}

/** An id that sluice made may have become one of the wire. */
function agrees(one: unknown, other: unknown): boolean {
  if (one === other || one === undefined || other === undefined) return true
  if (typeof one === 'string' && typeof other === 'string') return `~${other}` === one
  if (!isRecord(one) || !isRecord(other)) return stringifyJson(one) === stringifyJson(other)
  return Object.keys(one).every((key) => agrees(one[key], other[key]))
}

const beside: ReadonlySet<string> = new Set(['seq', 'turn', 'run', 'clock', 'origin', 'ext', 'raw'])
/** What is written is said to be seen, under an id of its own. */
const ofPrompt: ReadonlySet<string> = new Set(['id', 'state'])
