// Commands of sluice itself. An agent that answers its own questions, trusts its own project, or starts and stops runs would be its own judge,
// so all of them but those that only look are asked about whatever else is allowed.
import type { SimpleCommand } from './shell-findings.ts'

const sluice = /(^|\/)sluice(@[\w.^~-]+)?$|(^|\/)dist\/cli\.js$/
/** They read and translate; `emit` adds an event of the agent's own to the stream. */
const looking = new Set(
  'agents convert validate detect schema watch digest show usage models tools doctor skills tour help emit --help -h --version -V'.split(
    ' ',
  ),
)

/** Of `sluice` itself, however it is started (`npx sluice`, a path). What is not known yet may be one of them. */
export function steersRuns({ words, text, reach }: SimpleCommand): boolean {
  const at = words.findIndex((word) => sluice.test(word))
  if (at === -1) return false
  const next = words[at + 1]
  return next === undefined ? reach !== undefined || text !== words.join(' ') : !looking.has(next)
}

/** Of a command line that nobody can read to its end: the words are there, and a variable may put them together. */
export const maySteer = (text: string): boolean =>
  /\bsluice(@[\w.^~-]+)?(?![\w./-])/.test(text) && /\b(?:control|answer|trust|run|chat|demo|claude|model)\b/.test(text)

/** An answer to a question, a token, a socket: wherever they stand in the text, also in a script that another program is given. */
const known = /\.req\.response\b|\bsluice(?:-\w{1,20})?\/[^\s'"`/]{0,80}\.(?:token|sock)\b/gi

/** Names of files by which runs are steered, as they stand in a command. `guarded`: those of this run. */
export function steeringNames(text: string, guarded: readonly string[] = []): string[] {
  const names = guarded.map((path) => path.slice(path.lastIndexOf('/') + 1)).filter((name) => name.includes('.'))
  return [...new Set([...(text.match(known) ?? []), ...names.filter((name) => stands(name, text))])]
}

/** Not as a part of another name. */
function stands(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!/[\w.-]/.test(text[at - 1] ?? '') && !/^\.?[\w-]/.test(text.slice(at + name.length, at + name.length + 2))) return true
  return false
}
