// What a server answered to a call, as a tool result: text for the model within bounds, pictures beside it.
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { isRecord } from '../../../base/json.ts'
import { cutData, keepText } from '../tools/output.ts'
import type { ToolContext, ToolResult } from '../tools/tool.ts'
import { limits } from './spec.ts'

type Media = NonNullable<ToolResult['media']>[number]
type Part = { text: string } | { media: Media }

/** What is too long for the model is kept whole in a file of the folder. */
export function resultOf(answer: CallToolResult, store: Pick<ToolContext, 'outputFolder' | 'cleaner'>): ToolResult {
  const parts = answer.content.map(partOf)
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []))
  const media = parts.flatMap((part) => ('media' in part ? [part.media] : []))
  if (texts.length === 0 && answer.structuredContent !== undefined) texts.push(JSON.stringify(answer.structuredContent))
  const kept = keepText(texts.join('\n\n'), store, limits.shown)
  const data = { ...dataOf(answer.structuredContent), ...(kept.truncated ? cutData(kept) : {}) }
  return {
    text: kept.text,
    ...(media.length === 0 ? {} : { media }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...(answer.isError === true ? { failed: true } : {}),
  }
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case 'text':
      return { text: block.text }
    case 'image':
    case 'audio':
      return mediaOf(block.mimeType, block.data)
    case 'resource_link':
      return { text: [`[resource] ${block.title ?? block.name}: ${block.uri}`, block.description ?? ''].join('\n').trimEnd() }
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return { text: resource.text }
      return mediaOf(resource.mimeType ?? 'application/octet-stream', resource.blob)
    }
  }
}

function mediaOf(mime: string, data: string): Part {
  const bytes = Math.floor((data.length * 3) / 4)
  if (bytes <= limits.mediaBytes) return { media: { mime, data } }
  return { text: `[${mime} of ${bytes} bytes left out: the limit is ${limits.mediaBytes}]` }
}

function dataOf(content: unknown): ToolResult['data'] {
  if (!isRecord(content)) return undefined
  return JSON.stringify(content).length <= limits.dataBytes ? content : { omitted: `more than ${limits.dataBytes} bytes` }
}
