// `watch --format plain`: Avenor's lines, `EVENT <name> <session> <excerpt>`, for every dialect.
// An Avenor record is told as it stands, also one of wrong shape or of a user's own type; other dialects event by event.
import type { Class } from '../analyze/classify.ts'
import type { Rec } from '../base/json.ts'
import { createTranslator } from './watch-as-avenor.ts'
import { brief, chunkText, excerptOf, isChunk, oneLine, sessionIn, whole } from './watch-excerpt.ts'
import { highest, tagOf, type View, type ViewOptions } from './watch-view.ts'

/** Text of one message that is joined to one line; a longer one is told in several. */
const longestJoined = 1 << 20

/** `accumulate`: chunks that follow each other and are of one kind and session make one line. */
export function createPlain({ dialect, put, wants, classify, accumulate, redactor }: ViewOptions & { accumulate: boolean }): View {
  const asAvenor = createTranslator()
  let joined: { key: string; name: string; session: string; text: string; its: Class; since: number } | undefined

  function print(name: string, session: string, excerpt: string, its: Class): void {
    if (wants(session, its)) put.line(`${tagOf(its, classify)}EVENT ${oneLine(name)} ${oneLine(session)} ${excerpt}`)
  }

  function settle(): void {
    if (joined === undefined) return
    const { name, session, text, its } = joined
    joined = undefined
    print(name, session, whole(redactor?.text(text).text ?? text), its) // only now is it whole
  }

  function join(name: string, lane: string, record: Rec, its: Class, since: number): void {
    const text = chunkText(record)
    const session = sessionIn(record)
    if (text === '') return
    const key = `${name}\n${session}\n${lane}`
    if (joined?.key !== key || joined.text.length > longestJoined) settle()
    joined ??= { key, name, session, text: '', its, since }
    joined.text += text
    joined.its = highest([joined.its, its])
  }

  function tell(name: string, record: Rec, lane: string, its: Class, since: number): void {
    if (accumulate && isChunk(name)) return join(name, lane, record, its, since)
    settle()
    print(name, sessionIn(record), brief(excerptOf(name, record)), its)
  }

  return {
    ofRecords: dialect === 'avenor',
    show({ events, record, span, classes }) {
      const since = span?.offset ?? 0
      if (dialect === 'avenor') {
        const name = record?.['event']
        if (record === undefined || typeof name !== 'string') return false
        tell(name, record, '', highest(classes), since)
        return true
      }
      for (const [index, event] of events.entries()) {
        if (event.synthetic === 'cut') continue // nobody has told it: the stream merely stops there
        const told = asAvenor(event)
        if (told !== undefined) tell(told.event, told, event.agent ?? '', classes[index] ?? 'ACTIVITY', since)
      }
      return !events.some(({ kind }) => kind === 'issue')
    },
    settle,
    waitingSince: () => joined?.since,
  }
}
