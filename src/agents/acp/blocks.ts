// A prompt with its files as content blocks. What the agent has not said it can read comes as text, or as a link.
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Rec } from '../../base/json.ts'
import type { Attachment } from '../../supervise/contract.ts'
import type { Prompt } from '../driver.ts'

export type Reads = { image: boolean; audio: boolean; embeddedContext: boolean }

export const blocksOf = ({ text, files = [] }: Prompt, reads: Reads): Rec[] => [
  ...files.map((file) => blockOf(file, reads)),
  { type: 'text', text },
]

function blockOf({ path, mime, data }: Attachment, reads: Reads): Rec {
  const uri = pathToFileURL(path).href
  if (mime.startsWith('image/') && reads.image) return { type: 'image', mimeType: mime, data, uri }
  if (mime.startsWith('audio/') && reads.audio) return { type: 'audio', mimeType: mime, data }
  const isText = /^text\/|[/+](json|xml|yaml|toml|javascript|typescript)\b/.test(mime)
  if (reads.embeddedContext)
    return { type: 'resource', resource: { uri, mimeType: mime, ...(isText ? { text: decoded(data) } : { blob: data }) } }
  return isText
    ? { type: 'text', text: `The file ${path}:\n${decoded(data)}` }
    : { type: 'resource_link', uri, name: basename(path), mimeType: mime }
}

const decoded = (data: string): string => Buffer.from(data, 'base64').toString()
