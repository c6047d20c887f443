// A call's one result value. A source may give what a tool returned as text, as a structure, as blocks and as an error. What stands alone is
// the result; else the structure gets the text as `output`, unless it holds it already, and the others beside it. So nothing is lost.
import { isRecord, parseJson, type Rec, stringifyJson } from '../../base/json.ts'
import type { EventOf } from '../../model/event.ts'
import { textOfBlock } from '../contract.ts'

type End = EventOf<'tool.end'>

export function resultOf(event: End): unknown {
  const { text, error } = event
  const data = isExitCode(event) && text !== undefined ? undefined : (event.data ?? undefined)
  const output = text === undefined || (text === '' ? data !== undefined : holds(data, text)) ? undefined : text
  const content = contentOf(event)
  const isSaid = error === undefined || text?.includes(error.text) === true || holds(event.data, error.text)
  const beside = present({ output, content, error: isSaid ? undefined : error.text })
  if (data !== undefined) return merged(data, beside)
  const values = Object.values(beside)
  return values.length > 1 ? beside : values.length === 1 ? values[0] : (event.content ?? event.data)
}

/** Blocks of text are the text that stands beside them. */
const contentOf = ({ content, text, data }: End): End['content'] =>
  content?.some((block) => textOfBlock(block) === undefined) === true || (text === undefined && data === undefined) ? content : undefined

/** One object, if no key of the structure means something else. */
function merged(data: unknown, beside: Rec): unknown {
  if (Object.keys(beside).length === 0) return data
  const isFree = isRecord(data) && Object.keys(beside).every((key) => !(key in data) || holdsWithin(beside[key], data[key]))
  return isFree ? { ...beside, ...data, ...beside } : { ...beside, data }
}

const present = (fields: Rec): Rec => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const isExitCode = ({ data, exitCode }: End): boolean =>
  exitCode !== undefined && isRecord(data) && Object.values(data).every((value) => value === exitCode)

/** The text is the JSON of the value, or stands somewhere in it as a whole. */
const holds = (value: unknown, text: string): boolean =>
  value !== undefined && (isWithin(value, text) || (isNested(value) ? sameJson(value, text) : stringifyJson(value) === text))

function isWithin(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text || (value.length >= text.trim().length && value.trim() === text.trim())
  return isNested(value) && Object.values(value).some((part) => isWithin(part, text))
}

const isNested = (value: unknown): value is object => Array.isArray(value) || isRecord(value)

function sameJson(value: object, text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    return stringifyJson(parseJson(text)) === stringifyJson(value)
  } catch {
    return false
  }
}

/** A note at the end of an output is ours or the agent's: the longer text replaces the shorter one. */
const holdsWithin = (longer: unknown, shorter: unknown): boolean =>
  typeof longer === 'string' && typeof shorter === 'string' && longer.includes(shorter)
