// Commands to the runner of GitHub Actions, which are lines of a step's output. The runner takes a line for a command when it begins with
// `::` behind white space, and one that holds `##[` anywhere.
import { harmlessLine } from './harmless.ts'

export type Level = 'error' | 'warning' | 'notice'
export type Place = { file?: string | undefined; line?: number | undefined; title?: string | undefined }

const maxLength = 4000

/** A whole line. Whatever the text holds, it stays the text of this one command. */
export function workflowCommand(level: Level, place: Place, text: string): string {
  const properties = Object.entries(place)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${property(String(value))}`)
  return `::${level}${properties.length === 0 ? '' : ` ${properties.join(',')}`}::${data(text)}`
}

const data = (text: string): string => escaped(harmlessLine(text.slice(0, maxLength)))
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** The runner puts `%` back last, so it goes first here. */
const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** A line that is no command, whatever stands in it, as long as something of ours stands in front. */
export const noCommand = (line: string): string => line.replaceAll('##[', '## [')
