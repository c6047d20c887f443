// A call's one result value. A source may tell what a tool gave as text, as a structure, as blocks and as an error: one of them is written,
// and what it does not hold of the others is lost.
import { isRecord, stringifyJson } from '../../base/json.ts'
import type { EventOf } from '../../model/event.ts'
import { textOfBlock } from '../contract.ts'

type End = EventOf<'tool.end'>

/** The structure, unless it says nothing but the exit code, and a text stands beside it. */
export const toldBy = (event: End): unknown => {
  const { data, text, content, error } = event
  return (isExitCode(event) ? text : undefined) ?? data ?? text ?? content ?? (data === null ? null : error?.text)
}

const isExitCode = ({ data, exitCode }: End): boolean =>
  exitCode !== undefined && isRecord(data) && Object.values(data).every((value) => value === exitCode)

export function untold({ text, content, error }: End, told: unknown): ('text' | 'content' | 'error')[] {
  const isLost = {
    text: text !== undefined && !holds(told, text),
    content: told !== content && content?.some((block) => textOfBlock(block) === undefined) === true,
    error: error !== undefined && error.text !== text && !holds(told, error.text), // an error mostly repeats the text
  }
  return (['text', 'content', 'error'] as const).filter((field) => isLost[field])
}

/** As JSON has it: the text may stand anywhere in the value. */
const holds = (value: unknown, text: string): boolean =>
  value === text || (value !== undefined && stringifyJson(value).includes(JSON.stringify(text).slice(1, -1)))
