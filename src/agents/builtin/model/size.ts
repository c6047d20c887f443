// About how many tokens messages take: good enough to know when it is time to trim.
import type { LanguageModelV4Message } from '@ai-sdk/provider'

const charactersPerToken = 4
/** Of a picture or a page of a document, whatever its bytes. */
const tokensOfFile = 1500
const tokensOfFrame = 4

export function tokensIn(messages: readonly LanguageModelV4Message[]): number {
  let characters = 0
  let tokens = 0
  for (const { content } of messages) {
    tokens += tokensOfFrame
    if (typeof content === 'string') {
      characters += content.length
      continue
    }
    for (const part of content) {
      if (part.type === 'text' || part.type === 'reasoning') characters += part.text.length
      else if (part.type === 'tool-call') characters += part.toolName.length + JSON.stringify(part.input ?? {}).length
      else if (part.type === 'file') tokens += tokensOfFile
      else if (part.type === 'tool-result' && 'value' in part.output) {
        const { value } = part.output
        if (typeof value === 'string') characters += value.length
        else if (Array.isArray(value))
          for (const item of value) {
            if (isText(item)) characters += item.text.length
            else tokens += tokensOfFile
          }
      }
    }
  }
  return tokens + Math.ceil(characters / charactersPerToken)
}

const isText = (item: unknown): item is { type: 'text'; text: string } => (item as { type?: unknown } | null)?.type === 'text'
