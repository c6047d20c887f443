// A permission question as lines for a terminal: all that is to be done, all that it needs, and all that an "always" would allow from
// then on. What a person cannot see, nobody has agreed to; so nothing is left out without a word.
import { changesOf } from '../analyze/changes.ts'
import { commandOf } from '../analyze/subject.ts'
import { isRecord, stringifyJson } from '../base/json.ts'
import { plural } from '../base/text.ts'
import type { Question } from '../supervise/permission.ts'
import { formatRule } from '../supervise/rules.ts'
import { harmlessLine, harmlessLines } from '../views/harmless.ts'
import { wrapped } from '../views/layout.ts'
import { patchOf } from '../views/patch.ts'
import type { Style } from '../views/style.ts'

type Request = Question['request']
type Needs = NonNullable<Question['needs']>

const mostPatch = 40
const mostInput = 20_000 // characters
const screenful = 20 // lines: past that the beginning may be out of sight

export function questionLines(request: Request, width: number, style: Style, needs: Needs = []): string[] {
  const { name = 'this', toolKind = 'other', input } = request
  const indented = (text: string): string[] => squeezed(harmlessLines(text)).flatMap((line) => wrapped(line, width - 4).map(indent))
  const changes = toolKind === 'edit' ? changesOf({ input }) : []
  const lines = [
    ...subjectOf(request).flatMap(indented),
    ...[...neededBy(request, needs), ...placeOf(input), ...alwaysOf(request)].flatMap(indented).map(style.dim),
    ...changes.flatMap((change) => foldedPatch(patchOf(change, style).lines, style)),
  ]
  const note = lines.length > screenful ? [style.yellow(`    (${lines.length} lines: the first of them may be out of sight)`)] : []
  return [`${style.yellow('?')} ${style.bold(`Allow ${harmlessLine(name)}?`)}`, ...lines, ...note]
}

/** What the call is given, where what it needs does not say it. */
function subjectOf({ toolKind = 'other', input, patterns = [] }: Request): string[] {
  const command = commandOf({ toolKind, input })
  if (command !== undefined) return [command]
  const named = patterns.filter((text) => text !== '*')
  return named.length > 0 && toolKind !== 'task' ? named : [...named, shortened(input === undefined ? '' : stringifyJson(input))]
}

const shortened = (text: string): string =>
  text.length > mostInput ? `${text.slice(0, mostInput)} … and ${text.length - mostInput} more characters, which are not shown` : text

/** Nothing when it is the call itself that is asked about, and no more. */
function neededBy({ name = 'this', permission = '', toolKind = 'other', input, patterns = [] }: Request, needs: Needs): string[] {
  const command = commandOf({ toolKind, input })
  const all = needs.length > 0 ? needs : patterns.map((pattern) => ({ permission, pattern }))
  const isPlain =
    all.every((need) => need.permission === name) && (command === undefined || (all.length === 1 && all[0]!.pattern === command))
  if (isPlain) return []
  return [...Map.groupBy(all, (need) => need.permission)].map(([of, group]) => `${of}: ${group.map(({ pattern }) => pattern).join(' · ')}`)
}

const placeOf = (input: unknown): string[] => (isRecord(input) && typeof input['workdir'] === 'string' ? [`in ${input['workdir']}`] : [])

/** One rule is in the words of the choice itself. */
function alwaysOf({ options, suggestions = [] }: Request): string[] {
  if (suggestions.length < 2 || !options.some(({ kind }) => kind === 'allow_always')) return []
  return [`always: ${suggestions.map(ruleText).join(' · ')}`]
}

function ruleText(rule: unknown): string {
  const { permission, pattern } = isRecord(rule) ? rule : {}
  if (typeof permission !== 'string' || typeof pattern !== 'string') return stringifyJson(rule)
  return formatRule({ permission, pattern, action: 'allow' })
}

const indent = (line: string): string => `    ${line}`

/** Many empty lines push what stands before them out of sight. */
function squeezed(lines: readonly string[]): string[] {
  const kept: string[] = []
  let empty = 0
  for (const line of [...lines, undefined]) {
    if (line?.trim() === '') {
      empty++
      continue
    }
    if (empty > 2) kept.push(`… ${plural(empty, 'empty line')}`)
    else for (; empty > 0; empty--) kept.push('')
    empty = 0
    if (line !== undefined) kept.push(line)
  }
  return kept
}

function foldedPatch(lines: readonly string[], style: Style): string[] {
  const shown = lines.length > mostPatch + 1 ? [...lines.slice(0, mostPatch), style.dim(`… ${lines.length - mostPatch} more lines`)] : lines
  return shown.map(indent)
}
