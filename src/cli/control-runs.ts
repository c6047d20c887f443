// The runs of this machine that can be reached, what each does, and the questions that wait for somebody to answer them.
import { isRecord, type Rec } from '../base/json.ts'
import { plural } from '../base/text.ts'
import type { Found } from '../control/client.ts'
import { durationText } from '../views/amounts.ts'
import { harmlessLine } from '../views/harmless.ts'
import { cutTo } from '../views/layout.ts'
import { CommandError, exitCodes, usageError } from './exit.ts'
import { idsMeant, shortId } from './short-id.ts'

type Question = { id: string; text: string; options: string[]; isChoice: boolean }

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const recordsIn = (value: unknown): Rec[] => (Array.isArray(value) ? value.filter(isRecord) : [])

export const questionsOf = ({ questions }: Rec): Question[] =>
  recordsIn(questions).map((asked) => {
    const parts = recordsIn(asked['questions'])
    return {
      id: textIn(asked['id']),
      text: parts.length > 0 ? parts.map(({ text }) => textIn(text)).join(' ') : textIn(asked['question']) || textIn(asked['name']),
      options: recordsIn(parts[0]?.['options'] ?? asked['options']).map(({ id, label }) => textIn(id) || textIn(label)),
      isChoice: parts.length > 0,
    }
  })

/** For programs: a line a run, as `status` gives it. */
export const runsAsJson = (runs: readonly Found[]): string => runs.map(({ status }) => `${JSON.stringify(status)}\n`).join('')

export function runsForPeople(runs: readonly Found[], now: number, width: number): string {
  if (runs.length === 0) return 'no run can be reached on this machine; sluice run starts one\n'
  const names = runs.map(({ run }) => run)
  const open = runs.flatMap(({ status }) => questionsOf(status))
  const ids = open.map(({ id }) => id)
  const lines = runs.flatMap(({ run, cwd, status }) => {
    const questions = questionsOf(status)
    const started = Number(status['startedAt'])
    const what = questions.length > 0 ? `waiting for you (${plural(questions.length, 'question')})` : 'working'
    const begun = Number.isFinite(started) ? `for ${durationText(now - started)}` : ''
    const head = [shortId(run, names), what, begun, cwd]
      .filter((part) => part !== '')
      .map(harmlessLine)
      .join('  ')
    return [
      cutTo(head, width),
      ...questions.flatMap(({ id, text, options, isChoice }) => {
        const name = harmlessLine(shortId(id, ids))
        const offered = options.map(harmlessLine).join(', ')
        const how = `sluice control ${runs.length > 1 ? `--run ${shortId(run, names)} ` : ''}${isChoice ? `choose ${name} N` : `answer ${name} allow`}`
        return [cutTo(`  ${name}  ${harmlessLine(text)}`, width), cutTo(`    ${how}${offered === '' ? '' : `  (${offered})`}`, width)]
      }),
    ]
  })
  const permissions = open.filter(({ isChoice }) => !isChoice)
  if (permissions.length === 1) lines.push('', 'sluice control answer allow, or deny, answers the one question that is open')
  return `${lines.join('\n')}\n`
}

/** The run and the permission question that are meant without an id: the only one that is open. */
export function onlyQuestion(runs: readonly Found[]): { path: string; id: string } {
  const open = runs.flatMap(({ run, path, status }) =>
    questionsOf(status).flatMap(({ id, text, isChoice }) => (isChoice ? [] : [{ run, path, id, text }])),
  )
  const [first, second] = open
  if (first === undefined) throw new CommandError('no permission question is open; see sluice control', exitCodes.failed)
  if (second === undefined) return first
  const ids = open.map(({ id }) => id)
  const list = open.map(({ id, run, text }) => `\n  ${harmlessLine(`${shortId(id, ids)}  ${run}  ${text}`)}`)
  throw usageError(`several questions are open, name one: sluice control answer ID allow|deny${list.join('')}`)
}

/** The whole id. An unknown one goes to the run as it is, which says what became of it. */
export function wholeId(word: string, status: Rec): string {
  const ids = questionsOf(status).map(({ id }) => id)
  const meant = idsMeant(word, ids)
  if (meant.length > 1) throw usageError(`${JSON.stringify(word)} is the short form of several questions: ${meant.join(', ')}`)
  return meant[0] ?? word
}
