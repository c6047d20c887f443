// What a tool gave: its output, its structure, its files, its error, in the places that a call's record has for them.
import { isRawJson, isRecord, type Rec } from '../../base/json.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { textOf, textOfBlock } from '../contract.ts'
import type { Call, Out } from './encode-state.ts'
import type { Wire } from './wire.ts'

export type State = Wire<'tool_use'>['part']['state']

export function errorOf(out: Out, { error, text, content, data, status }: EventOf<'tool.end'>): string {
  const told = error?.text ?? text ?? textOfContent(content) ?? (data === undefined ? undefined : textOf(data))
  if (told === undefined) out.sink.added('tool_use.part.state.error')
  return told ?? status
}

/** What the decoder has kept of aictrl's own `metadata`. */
export function notesIn({ ext }: EventOf<'tool.end'>): Rec | undefined {
  const { part } = (ext?.['aictrl'] ?? {}) as { part?: { state?: { metadata?: unknown } } }
  const notes = part?.state?.metadata
  return isRecord(notes) ? notes : undefined
}

export const noResult: ReturnType<typeof resultOf> = {}

/**
 * A shell's output stands in `metadata`, as in the document's only example; that of other tools in `output`, where the program
 * has it. Either is written once: outputs are most of a stream's bytes. What was read from aictrl's `metadata` goes back there.
 */
export function resultOf(
  { text, content, data, exitCode, origin }: EventOf<'tool.end'>,
  { toolKind }: Call,
  notes: Rec | undefined,
): Pick<State, 'output' | 'metadata' | 'attachments'> {
  const files = content?.filter((block) => isRecord(block) && block['type'] === 'file')
  const attachments = files !== undefined && files.length > 0 ? files : undefined
  if (isRecord(data) && origin?.dialect === 'aictrl') return { metadata: data, attachments }
  const output = text ?? textOfContent(content) ?? (data === undefined ? undefined : textOf(data))
  // An output that was kept from `metadata` is a preview, and stands there again.
  if (notes?.['output'] !== undefined) return { output, metadata: { exit: exitCode }, attachments }
  const shell = exitCode !== undefined || toolKind === 'execute'
  if (isOurs(origin) && isRecord(data) && isMetadata(data))
    return shell ? { metadata: { output, ...data, exit: exitCode }, attachments } : { output, metadata: data, attachments }
  return shell ? { metadata: { exit: exitCode, output }, attachments } : { output, attachments }
}

/** The built-in tools of sluice's agent speak aictrl's keys. */
const isOurs = (origin: Event['origin']): boolean => origin === undefined || origin.dialect === 'sluice'
const isMetadata = (data: Rec): boolean =>
  !isRawJson(data) &&
  (data['exit'] === undefined || typeof data['exit'] === 'number') &&
  (data['output'] === undefined || typeof data['output'] === 'string')

/** What a call's record does not hold of what its tool gave. */
export function untold(
  { text, data, content, error }: EventOf<'tool.end'>,
  told: Partial<State>,
): ('text' | 'data' | 'content' | 'error')[] {
  const shown = told.error ?? told.output ?? told.metadata?.['output']
  const isLost = {
    text: text !== undefined && shown !== text,
    data: data !== undefined && !isIn(told.metadata, data) && (text !== undefined || shown !== textOf(data)),
    content: content?.some((block) => textOfBlock(block) === undefined && told.attachments?.includes(block) !== true) === true,
    error: error !== undefined && error.text !== text && shown !== error.text,
  }
  return (['text', 'data', 'content', 'error'] as const).filter((field) => isLost[field])
}

/** `metadata` may say more. */
const isIn = (metadata: State['metadata'], data: unknown): boolean =>
  metadata === data || (isRecord(metadata) && isRecord(data) && Object.keys(data).every((key) => metadata[key] === data[key]))

function textOfContent(content: readonly unknown[] | undefined): string | undefined {
  const texts = content?.flatMap((block) => textOfBlock(block) ?? [])
  return texts === undefined || texts.length === 0 ? undefined : texts.join('\n')
}
