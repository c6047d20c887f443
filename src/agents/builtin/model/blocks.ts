// From the parts of a provider's stream to ours: numbers the blocks, joins their text, reads the input of calls.
import type { LanguageModelV4Content, LanguageModelV4StreamPart, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import { isRecord, type Rec } from '../../../base/json.ts'
import { type Metadata, type ModelPart, otherNotice, warningNotice } from './part.ts'

type Open = { end: 'thought.end' | 'text.end'; block: number; text: string; metadata: Metadata | undefined }
type OpenInput = { block: number; id: string; name: string }

/** The stream's parts, but those that end it. */
type Piece = Exclude<LanguageModelV4StreamPart, { type: 'finish' | 'error' | 'response-metadata' }>

export type Blocks = {
  take(part: Piece): void
  /** A part of an answer that came in one piece. */
  takeWhole(part: LanguageModelV4Content): void
  /** The answer is over: what is still open is partial. */
  close(): void
}

export function createBlocks(push: (part: ModelPart) => void): Blocks {
  const texts = new Map<string, Open>()
  const thoughts = new Map<string, Open>()
  const inputs = new Map<string, OpenInput>()
  const ids = new Map<string, number>()
  let next = 0

  function begin(blocks: Map<string, Open>, id: string, metadata: Metadata | undefined): Open {
    const started: Open = { end: blocks === texts ? 'text.end' : 'thought.end', block: next++, text: '', metadata }
    blocks.set(id, started)
    return started
  }

  function go(blocks: Map<string, Open>, id: string, text: string, metadata: Metadata | undefined): void {
    const block = blocks.get(id) ?? begin(blocks, id, undefined)
    if (metadata !== undefined) block.metadata = join(block.metadata, metadata)
    if (text === '') return
    block.text += text
    push({ type: blocks === texts ? 'text.delta' : 'thought.delta', block: block.block, text })
  }

  function end(blocks: Map<string, Open>, id: string, metadata: Metadata | undefined): void {
    const block = blocks.get(id)
    if (block === undefined) return
    blocks.delete(id)
    push(endOf({ ...block, metadata: join(block.metadata, metadata) }))
  }

  /** Some servers give all calls of an answer the same id, or none. */
  function uniqueId(id: string): string {
    const wanted = id === '' ? 'call' : id
    let count = (ids.get(wanted) ?? 0) + 1
    while (count > 1 && ids.has(`${wanted}_${count}`)) count++
    ids.set(wanted, count)
    if (count === 1) return wanted
    ids.set(`${wanted}_${count}`, 1)
    return `${wanted}_${count}`
  }

  function beginInput(id: string, name: string): OpenInput {
    const input = { block: next++, id: uniqueId(id), name }
    inputs.set(id, input)
    return input
  }

  function call({ toolCallId, toolName, input: text, providerMetadata }: LanguageModelV4ToolCall): void {
    const { block, id } = inputs.get(toolCallId) ?? beginInput(toolCallId, toolName)
    inputs.delete(toolCallId)
    push({ type: 'tool.call', block, id, name: toolName, ...inputOf(text), ...(providerMetadata && { metadata: providerMetadata }) })
  }

  function other(part: LanguageModelV4Content): void {
    if (part.type === 'custom') return // about features that we do not use
    if (part.type !== 'tool-call') return push(otherNotice(part.type, aboutPart(part)))
    if (part.providerExecuted === true) push(otherNotice('provider-tool', { name: part.toolName, input: part.input }))
    else call(part)
  }

  return {
    take(part) {
      switch (part.type) {
        case 'text-delta':
          return go(texts, part.id, part.delta, part.providerMetadata)
        case 'reasoning-delta':
          return go(thoughts, part.id, part.delta, part.providerMetadata)
        case 'tool-input-delta': {
          const input = inputs.get(part.id)
          if (input !== undefined) push({ type: 'tool.delta', ...input, text: part.delta })
          return
        }
        case 'text-start':
          return void begin(texts, part.id, part.providerMetadata)
        case 'reasoning-start':
          return void begin(thoughts, part.id, part.providerMetadata)
        case 'text-end':
          return end(texts, part.id, part.providerMetadata)
        case 'reasoning-end':
          return end(thoughts, part.id, part.providerMetadata)
        case 'tool-input-start':
          if (part.providerExecuted !== true) push({ type: 'tool.delta', ...beginInput(part.id, part.toolName), text: '' })
          return
        case 'stream-start':
          for (const warning of part.warnings) push(warningNotice(warning))
          return
        case 'tool-input-end':
        case 'ping':
        case 'raw':
          return
        default:
          return other(part)
      }
    },
    takeWhole(part) {
      if (part.type === 'text') push(endOf({ end: 'text.end', block: next++, text: part.text, metadata: part.providerMetadata }))
      else if (part.type === 'reasoning')
        push(endOf({ end: 'thought.end', block: next++, text: part.text, metadata: part.providerMetadata }))
      else other(part)
    },
    close() {
      const left = [...thoughts.values(), ...texts.values()].toSorted((a, b) => a.block - b.block)
      thoughts.clear()
      texts.clear()
      for (const block of left) push({ ...endOf(block), partial: true })
    },
  }
}

function endOf({ end, block, text, metadata }: Open): Extract<ModelPart, { type: 'text.end' | 'thought.end' }> {
  const about = metadata === undefined ? {} : { metadata }
  if (end === 'text.end') return { type: end, block, text, ...about }
  const redacted = text === '' && Object.values(metadata ?? {}).some((keys) => keys['redactedData'] !== undefined)
  return { type: end, block, text, ...(redacted && { redacted }), ...about }
}

/** A provider's later words on a block add to its earlier ones. */
function join(a: Metadata | undefined, b: Metadata | undefined): Metadata | undefined {
  if (a === undefined || b === undefined) return b ?? a
  const joined = { ...a }
  for (const [provider, keys] of Object.entries(b)) joined[provider] = { ...joined[provider], ...keys }
  return joined
}

type Input = { input: Rec; bad?: never; why?: never } | { input: Rec; bad: string; why: string }

const deepest = 200

/** Deeper than anybody means it: packages that write it down again fail. Brackets in texts may count, but not against a sane one. */
function isTooDeep(text: string): boolean {
  if (text.length <= deepest) return false
  let depth = 0
  let most = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (isText && char === 92) at++
    else if (char === 34) isText = !isText
    else if (isText) continue
    else if (char === 123 || char === 91) most = Math.max(most, ++depth)
    else if (char === 125 || char === 93) depth--
  }
  return most > deepest
}

/** No text at all is a call without arguments. */
export function inputOf(text: string): Input {
  if (text.trim() === '') return { input: {} }
  if (isTooDeep(text)) return { input: {}, bad: text, why: `the arguments are nested more than ${deepest} deep` }
  try {
    const input = JSON.parse(text) as unknown
    return isRecord(input) ? { input } : { input: {}, bad: text, why: 'the arguments must be a JSON object' }
  } catch (error) {
    return { input: {}, bad: text, why: `the arguments are not JSON: ${(error as Error).message}` }
  }
}

/** Where a source or file is from; never the bytes. */
function aboutPart(part: Exclude<LanguageModelV4Content, { type: 'tool-call' }>): Rec {
  const keys = ['mediaType', 'url', 'title', 'filename', 'toolName'] as const
  return Object.fromEntries(keys.flatMap((key) => (key in part ? [[key, part[key as keyof typeof part]]] : [])))
}
