// From events to the messages and parts of a prompt.
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { isRecord, type Rec } from '../../../base/json.ts'
import type { Event, EventOf } from '../../../model/event.ts'
import { toolFailed } from '../../../model/outcome.ts'

export type SpokenPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart
export type CallPart = LanguageModelV4ToolCallPart
type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart
export type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>

/** What a model is shown of an input that it wrote and nobody can read. */
const mostOfBad = 2000

// ── what the user says ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Undefined when there is nothing in it. */
export function userMessage({ text, content = [] }: EventOf<'prompt.submit'>): UserMessage | undefined {
  const parts = content.filter(isRecord).flatMap(userPart)
  if (text !== undefined && text.trim() !== '' && !parts.some((part) => part.type === 'text' && part.text === text))
    parts.unshift({ type: 'text', text })
  return parts.length === 0 ? undefined : { role: 'user', content: parts }
}

function userPart(item: Rec): UserPart[] {
  if (typeof item['text'] === 'string') return item['text'].trim() === '' ? [] : [{ type: 'text', text: item['text'] }]
  const file = fileIn(item)
  if (file === undefined) return []
  if (isShown(file.mime)) return [filePart(file)]
  const name = file.path === undefined ? '' : ` path="${file.path}"`
  if (!isText(file.mime)) return [{ type: 'text', text: `<file${name} type="${file.mime}">a file of this type cannot be shown</file>` }]
  return [{ type: 'text', text: `<file${name}>\n${Buffer.from(file.data, 'base64').toString()}\n</file>` }]
}

type File = { mime: string; data: string; path: string | undefined }

function fileIn({ mime, data, path }: Rec): File | undefined {
  if (typeof mime !== 'string' || typeof data !== 'string') return undefined
  return { mime, data, path: typeof path === 'string' ? path : undefined }
}

const isShown = (mime: string): boolean => mime.startsWith('image/') || mime === 'application/pdf'
const isText = (mime: string): boolean => /^text\/|[/+](json|xml|yaml|toml|javascript|typescript|x-sh|sql)$/.test(mime.split(';')[0]!)

const filePart = ({ mime, data, path }: File): LanguageModelV4FilePart => ({
  type: 'file',
  mediaType: mime,
  data: { type: 'data', data },
  ...(path !== undefined && { filename: path.slice(path.lastIndexOf('/') + 1) }),
})

// ── what the model says ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Providers refuse blocks without any text, but not those that have a signature. Undefined: nothing is to be sent. */
export function spokenPart(type: SpokenPart['type'], text: string, event: Event): SpokenPart | undefined {
  const providerOptions = optionsIn(event)
  if (text.trim() === '' && providerOptions === undefined) return undefined
  return { type, text, ...(providerOptions && { providerOptions }) }
}

export function callPart(event: EventOf<'tool.start'>): CallPart {
  const bad = builtinIn(event)['bad']
  const providerOptions = optionsIn(event)
  return {
    type: 'tool-call',
    toolCallId: event.call ?? '',
    toolName: event.name,
    input: typeof bad === 'string' ? { unreadable: bad.slice(0, mostOfBad) } : event.input,
    ...(providerOptions && { providerOptions }),
  }
}

export const builtinIn = ({ ext }: Event): Rec => (isRecord(ext?.['builtin']) ? ext['builtin'] : {})

/** What the provider told beside a part goes back to it as it came. */
function optionsIn(event: Event): SharedV4ProviderOptions | undefined {
  const { metadata } = builtinIn(event)
  return isRecord(metadata) && Object.keys(metadata).length > 0 ? (metadata as SharedV4ProviderOptions) : undefined
}

// ── what tools say ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The results of a message's calls, in their order. */
export const toolMessage = (calls: readonly CallPart[], ends: ReadonlyMap<string, EventOf<'tool.end'>>): LanguageModelV4Message => ({
  role: 'tool',
  content: calls.map(({ toolCallId, toolName }) => ({ type: 'tool-result', toolCallId, toolName, output: outputOf(ends.get(toolCallId)) })),
})

function outputOf(end: EventOf<'tool.end'> | undefined): LanguageModelV4ToolResultOutput {
  if (end === undefined) return { type: 'error-text', value: 'interrupted: the call has no result' }
  const items = (end.content ?? []).filter(isRecord)
  const said = end.text ?? items.flatMap(({ text }) => (typeof text === 'string' ? text : [])).join('\n')
  const files = items.flatMap((item) => fileIn(item) ?? []).filter(({ mime }) => isShown(mime))
  const text = said === '' && end.status !== 'ok' ? (end.error?.text ?? wordsOf[end.status]) : said
  if (files.length === 0) return { type: toolFailed(end) ? 'error-text' : 'text', value: text }
  return { type: 'content', value: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files.map(filePart)] }
}

const wordsOf = {
  error: 'the call failed',
  denied: 'the call was not allowed',
  cancelled: 'the call was cancelled',
  abandoned: 'interrupted: the call was abandoned',
}
