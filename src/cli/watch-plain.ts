// `watch --format plain`: Avenor's lines, `EVENT <name> <session> <excerpt>`, for every dialect.
// An Avenor record is told as it stands, also one of wrong shape or of a user's own type; other dialects event by event.
import type { Class } from '../analyze/classify.ts'
import { customRecord, fieldsText } from '../analyze/fields.ts'
import type { Rec } from '../base/json.ts'
import { wireId } from '../dialects/contract.ts'
import type { Event } from '../model/event.ts'
import { shortId } from './short-id.ts'
import { createTranslator } from './watch-as-avenor.ts'
import { brief, chunkText, excerptOf, isChunk, oneLine, sessionIn, whole } from './watch-excerpt.ts'
import { highest, type Seen, tagOf, type View, type ViewOptions } from './watch-view.ts'

/** Text of one message that is joined to one line; a longer one is told in several. */
const longestJoined = 1 << 20

/** The time of day here. */
function clockText(at: unknown): string {
  if (typeof at !== 'number' || Number.isNaN(new Date(at).getTime())) return '--:--:--'
  const time = new Date(at)
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

const notable: readonly Class[] = ['MILESTONE', 'FINDING']
/** A turn that went well is told by the end of its session. */
const isToldLater = ({ kind }: Event, its: Class): boolean => kind === 'turn.end' && its === 'MILESTONE'

/** A user's own, or one of an Avenor that is not known here. */
const isCustom = (event: Event): boolean => event.kind === 'raw' && event.why === 'unknown'

/** `times`: each line begins with the time, and ids are short. `accumulate`: chunks that follow each other and are of one kind and session make one line. */
export function createPlain(options: ViewOptions & { accumulate: boolean; times?: boolean }): View {
  const { dialect, nameOf, put, wants, classify, accumulate, redactor, times = false } = options
  const asAvenor = createTranslator()
  let joined: { key: string; name: string; session: string; text: string; its: Class; since: number; at: unknown } | undefined

  function print(name: string, session: string, excerpt: string, its: Class, at: unknown): void {
    if (!wants(session, its)) return
    const [time, id] = times ? [`${clockText(at)} `, shortId(session)] : ['', session]
    put.line(oneLine(`${time}${tagOf(its, classify)}EVENT ${name} ${id} ${excerpt}`))
  }

  function settle(): void {
    if (joined === undefined) return
    const { name, session, text, its, at } = joined
    joined = undefined
    print(name, session, whole(redactor?.text(text).text ?? text), its, at) // only now is it whole
  }

  function join(name: string, lane: string, record: Rec, its: Class, since: number): void {
    const text = chunkText(record)
    const session = sessionIn(record)
    if (text === '') return
    const key = `${name}\n${session}\n${lane}`
    if (joined?.key !== key || joined.text.length > longestJoined) settle()
    joined ??= { key, name, session, text: '', its, since, at: record['ts'] }
    joined.text += text
    joined.its = highest([joined.its, its])
  }

  function tell(name: string, record: Rec, lane: string, its: Class, since: number): void {
    if (accumulate && isChunk(name)) return join(name, lane, record, its, since)
    settle()
    print(name, sessionIn(record), brief(excerptOf(name, record)), its, record['ts'])
  }

  function tellCustom(name: string, session: string, record: Rec, its: Class, at: unknown): void {
    settle()
    print(name, session, brief(fieldsText(record)), its, at)
  }

  /** What matters of a record that Avenor has no words for, in one line: the name that the record has in its own dialect. */
  function tellByName(event: Event, { record, span }: Pick<Seen, 'record' | 'span'>, its: Class): void {
    const isOfRecord = record !== undefined && event.origin?.offset === span?.offset // with --redact it may come later
    const name = event.kind === 'raw' ? event.type : ((isOfRecord ? nameOf?.(record) : undefined) ?? event.kind)
    settle()
    print(name, wireId(event.session ?? ''), brief('text' in event ? (event.text ?? '') : ''), its, event.at)
  }

  return {
    ofRecords: dialect === 'avenor',
    show({ events, record, span, classes }) {
      const since = span?.offset ?? 0
      if (dialect === 'avenor') {
        const name = record?.['event']
        if (record === undefined || typeof name !== 'string') return false
        if (events.some(isCustom)) tellCustom(name, sessionIn(record), record, highest(classes), record['ts'])
        else tell(name, record, '', highest(classes), since)
        return true
      }
      const said: Partial<Record<Class, true>> = {}
      const untold: Partial<Record<Class, Event>> = {}
      for (const [index, event] of events.entries()) {
        if (event.synthetic === 'cut') continue // nobody has told it: the stream merely stops there
        const its = classes[index] ?? 'ACTIVITY'
        const custom = customRecord(event)
        if (custom !== undefined && event.kind === 'raw') {
          tellCustom(event.type, wireId(event.session ?? ''), custom, its, event.at)
          said[its] = true
          continue
        }
        const told = asAvenor(event, its !== 'ACTIVITY')
        if (told === undefined) untold[its] ??= event
        else tell(told.event, { ...told, ts: event.at }, event.agent ?? '', its, since)
        if (told !== undefined || isToldLater(event, its)) said[its] = true
      }
      for (const its of notable) if (untold[its] !== undefined && said[its] === undefined) tellByName(untold[its], { record, span }, its)
      return !events.some(({ kind }) => kind === 'issue')
    },
    settle,
    waitingSince: () => joined?.since,
  }
}
