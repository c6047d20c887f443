// What stands in content: text, and what is no text; of a tool, what it answered and with which code its command left.
import { isRecord } from '../../base/json.ts'
import type { Payload } from '../../model/event.ts'
import { int } from '../values.ts'
import { at, str } from './words.ts'
import type { Block, Tool } from './wire.ts'

export const textOfBlock = (block: unknown): string | undefined => {
  const text = at(block, 'text')
  return typeof text === 'string' ? text : undefined
}

/** The text of blocks, also of those that stand in a `content` of their own. */
export function textOfBlocks(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks)) return undefined
  const texts = blocks.flatMap((block: unknown) => textOfBlock(block) ?? textOfBlock(at(block, 'content')) ?? [])
  return texts.length === 0 ? undefined : texts.join('')
}

/** A block that is no text: an image, audio, a link, a resource. */
export function contentOf({ type, mimeType, uri, data, resource }: Block): Payload<'content.end'> {
  return {
    type: type ?? 'other',
    mime: str(mimeType) ?? str(at(resource, 'mimeType')),
    uri: str(uri) ?? str(at(resource, 'uri')),
    data: data ?? resource,
  }
}

export const pathsOf = (locations: Tool['locations']): string[] | undefined => {
  const paths = (locations ?? []).flatMap(({ path }) => path ?? [])
  return paths.length === 0 ? undefined : paths
}

// ── what a tool answered ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The raw output is the tool's own; `content` is dressed up for people, with fences around it. */
export const outputOf = ({ content, rawOutput }: Tool): string | undefined =>
  (typeof rawOutput === 'string' ? rawOutput : undefined) ?? textOfBlocks(content) ?? textOfRaw(rawOutput)

function textOfRaw(raw: unknown): string | undefined {
  if (!isRecord(raw)) return textOfBlocks(raw)
  return (
    str(raw['output']) ??
    str(raw['error']) ??
    textOfBlocks(raw['content']) ??
    textOfBlocks(at(raw['result'], 'content')) ??
    str(raw['formatted_output']) ??
    str(raw['aggregated_output']) ??
    str(raw['stdout'])
  )
}

/** In the raw output, in what Codex and Zed say of a terminal, or in words of the agent's own about a command. */
export function exitCodeOf(
  { status, rawOutput, _meta: meta }: Pick<Tool, 'status' | 'rawOutput' | '_meta'>,
  printed: string | undefined,
): number | undefined {
  return (
    int(at(rawOutput, 'exit_code')) ??
    int(at(rawOutput, 'exitCode')) ??
    int(at(at(rawOutput, 'metadata'), 'exit')) ??
    int(at(at(meta, 'terminal_exit'), 'exit_code')) ??
    (printed === undefined ? undefined : exitCodeIn(printed, status === 'failed'))
  )
}

/** Only where the agent, not the command, can have written it: at the very beginning or end, in its own form. */
function exitCodeIn(text: string, failed: boolean): number | undefined {
  const opening = failed ? /^(?:Error: )?Exit code:? (\d{1,9})\b/i : /^Command exited with code:? (\d{1,9})\b/
  const found =
    opening.exec(text.slice(0, 80)) ??
    /<(?:exited|shellId: \S+ completed) with exit code (\d{1,9})>\s*$/.exec(text.slice(-80)) ??
    (text.startsWith('Command: ') ? /\nExit Code: (\d{1,9})(?:\n|$)/.exec(text.slice(-2000)) : null)
  return found === null ? undefined : Number(found[1])
}
