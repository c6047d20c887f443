// What a server answered to a call, as a tool result: text for the model within bounds, pictures beside it.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { isRecord } from '../../../base/json.ts'
import type { ToolResult } from '../tools/tool.ts'
import { limits } from './spec.ts'

type Media = NonNullable<ToolResult['media']>[number]
type Part = { text: string } | { media: Media }

/** `bound` shortens a text that is too long for the model and keeps the whole of it elsewhere. */
export async function resultOf(answer: CallToolResult, bound: (text: string) => Promise<string>): Promise<ToolResult> {
  const parts = answer.content.map(partOf)
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []))
  const media = parts.flatMap((part) => ('media' in part ? [part.media] : []))
  const data = dataOf(answer.structuredContent)
  if (texts.length === 0 && answer.structuredContent !== undefined) texts.push(JSON.stringify(answer.structuredContent))
  return {
    text: await bound(texts.join('\n\n')),
    ...(media.length === 0 ? {} : { media }),
    ...(data === undefined ? {} : { data }),
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

/** What is too long for the model is kept whole in a file that the text names. */
export async function boundText(text: string, call: string, folder: string): Promise<string> {
  const bytes = Buffer.from(text)
  if (bytes.length <= limits.textBytes) return text
  const path = join(folder, `mcp_${call.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100)}.txt`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(path, bytes, { mode: 0o600 })
  const shown = bytes
    .subarray(0, limits.textBytes)
    .toString()
    .replace(/\ufffd+$/, '')
  return `${shown}\n\n[cut: ${bytes.length} bytes in all, kept in ${path}]`
}
