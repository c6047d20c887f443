// What a line of `watch` says of an Avenor record: its session, and the few words that tell most about it.
// The surprise: records of wrong shape are told too, so nothing is taken for granted but that the record is an object.
import { isRecord, type Rec, stringifyJson } from '../base/json.ts'
import { isPrintable, printable } from '../base/text.ts'

/** In code points. */
const longest = 120

export const isChunk = (name: string): boolean => name.endsWith('.message_chunk') || name === 'agent.thought_chunk'

/** Some backends spell the key otherwise. */
export const sessionIn = (record: Rec): string => word(record['session_id']) || word(record['sessionID'])

export function excerptOf(name: string, record: Rec): string {
  if (isChunk(name)) return chunkText(record)
  return excerpts[name]?.(record) ?? ''
}

export function chunkText({ content, delta }: Rec): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [content]
  return blocks.map((block) => (isRecord(block) ? word(block['text']) : word(block))).join('') || word(delta)
}

const excerpts: Readonly<Record<string, (record: Rec) => string>> = {
  __proto__: null as never, // a name may be any word
  'agent.status': ({ phase, label }) => [phase, label].map(word).filter(Boolean).join(' | '),
  'tool.call': tool,
  'tool.call_update': tool,
  'permission.request': ({ question, tool: name }) => word(question) || word(name),
  'session.plan': ({ label, title }) => word(label) || word(title),
  'session.end': ({ stop_reason: reason }) => `stop_reason=${word(reason)}`,
  'avenor.loop.start': ({ max_iterations: most }) => `loop start, max_iterations=${shown(most)}`,
  'avenor.phase.start': ({ phase, iteration }) => `phase: ${word(phase)} (iter ${shown(iteration)})`,
  'avenor.phase.end': ({ phase, stop_reason: reason }) => `phase: ${word(phase)} → ${word(reason)}`,
  'avenor.loop.end': ({ exit_reason: reason }) => `loop end: ${word(reason)}`,
  'avenor.retry': ({ attempt, max_retries: most }) => (isMissing(attempt) ? 'retrying' : `attempt=${shown(attempt)}/${shown(most)}`),
  'avenor.error': ({ source, message }) => [source, message].map(word).filter(Boolean).join(': '),
}

function tool({ kind, title, status }: Rec): string {
  const what = [kind, title].map(word).filter(Boolean).join(':')
  return word(status) === '' ? what : `${what} [${word(status)}]`
}

const isMissing = (value: unknown): boolean => value === undefined || value === null
const word = (value: unknown): string => (typeof value === 'string' ? value : '')
const shown = (number: unknown): string => (isMissing(number) ? '?' : typeof number === 'string' ? number : stringifyJson(number))

/** The beginning of it, in one paragraph. A text may be very long: what is not shown is not looked at. */
export function brief(text: string): string {
  if (text.length <= longest && !/[\r\n\t]/.test(text)) return text.trimEnd()
  let out = ''
  let count = 0
  let inBreak = false
  for (const character of text) {
    const isBreak = character === '\n' || character === '\r' || character === '\t'
    if (isBreak && inBreak) continue
    inBreak = isBreak
    if (count++ === longest) break
    out += isBreak ? ' ' : character
  }
  return out.trimEnd()
}

/** All of it, in one paragraph. */
export const whole = (text: string): string => text.replace(/[\r\n\t]+/g, ' ').trim()

/**
 * A line stays one for every reader: some take U+0085 or U+2028 for its end. And nothing in it acts on the terminal that a pipe may lead
 * to, or is hidden from whoever reads it; what joins characters or keeps them apart belongs to the text.
 */
export const oneLine = (text: string): string =>
  isPrintable(text) && !text.includes('\n') ? text : text.replace(/[^\u200c\u200d]+/g, (part) => printable(part))
