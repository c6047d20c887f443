// Shows a file with numbered lines, a picture or document as it is, or what lies in a folder.
import type { Stats } from 'node:fs'
import { type FileHandle, readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { nearest } from '../../../base/nearest.ts'
import { plural } from '../../../base/text.ts'
import { bounded, optionalNumber, textField } from './fields.ts'
import { confirmPlace, isBinary, mediaOf, openPlace, type Place, resolvePath, statOf, told } from './files.ts'
import { createLineReader } from './lines.ts'
import { type Tool, type ToolContext, ToolError, type ToolResult } from './tool.ts'

const defaultLines = 2000
const longestLine = 2000
const mostBytes = 50 * 1024
const mostMedia = 5 * 1024 * 1024
const chunkSize = 256 * 1024
const previewLines = 20

export const readTool: Tool = {
  name: 'read',
  description:
    'Reads a file: text with line numbers ("12: …", which are not part of the file), pictures (png, jpg, gif, webp) and PDF as they are. ' +
    `Shows what lies in a folder. At most ${defaultLines} lines and 50 KB at once: read on with offset, the first line to show.`,
  parameters: {
    type: 'object',
    properties: {
      filePath: { type: 'string', description: 'The file or folder' },
      offset: { type: 'number', minimum: 1, description: 'The first line to show; 1 unless given' },
      limit: { type: 'number', minimum: 1, description: `How many lines; ${defaultLines} unless given` },
    },
    required: ['filePath'],
    additionalProperties: false,
  },
  kind: 'read',
  source: 'builtin',
  changes: false,
  async plan(input, context) {
    const place = await resolvePath(textField(input, 'filePath'), context)
    const offset = bounded(optionalNumber(input, 'offset') ?? 1, 1, Number.MAX_SAFE_INTEGER)
    const limit = bounded(optionalNumber(input, 'limit') ?? defaultLines, 1, 100_000)
    return {
      title: place.path,
      paths: [place.path],
      ask: { permission: 'read', patterns: [...new Set([place.path, place.real])], paths: [place.real] },
      run: ({ signal }) => told(place.path, () => readPlace(place, { offset, limit, signal }, context)),
    }
  },
}

type Window = { offset: number; limit: number; signal: AbortSignal }

async function readPlace(place: Place, window: Window, context: ToolContext): Promise<ToolResult> {
  await confirmPlace(place)
  const found = await statOf(place.real)
  if (found === undefined) throw new ToolError(`"${place.path}" does not exist${await nearName(place)}`)
  if (found.isDirectory()) return listFolder(place, window)
  if (!found.isFile()) throw new ToolError(`"${place.path}" is neither a regular file nor a folder; it cannot be read`)
  const { file, stats } = await openPlace(place)
  await using _closed = file
  const start = Buffer.alloc(Math.min(8192, stats.size))
  const { bytesRead } = await file.read(start, 0, start.length, 0)
  const mime = mediaOf(start)
  const result =
    mime === undefined ? await readText(file, start.subarray(0, bytesRead), place, window) : await readMedia(file, stats, place, mime)
  context.seen.set(place.real, { mtimeMs: stats.mtimeMs, size: stats.size })
  return result
}

async function nearName({ path, real }: Place): Promise<string> {
  const names = await readdir(dirname(real)).catch(() => [])
  const wanted = basename(path).toLowerCase()
  const near = nearest(wanted, names) ?? names.find((name) => name.toLowerCase().includes(wanted))
  return near === undefined ? '' : `; did you mean "${near}" in that folder?`
}

async function readMedia(file: FileHandle, stats: Stats, { path }: Place, mime: string): Promise<ToolResult> {
  if (stats.size > mostMedia) throw new ToolError(`"${path}" (${mime}) has ${stats.size} bytes, more than the 5 MB that can be shown`)
  const data = (await file.readFile()).toString('base64')
  const text = `[${mime}, ${stats.size} bytes]`
  return { text, media: [{ mime, data }], data: { preview: text, truncated: false, loaded: [] } }
}

async function readText(file: FileHandle, start: Buffer, { path }: Place, { offset, limit, signal }: Window): Promise<ToolResult> {
  if (isBinary(start)) throw new ToolError(`"${path}" is a binary file, which cannot be shown as text; use a command to look into it`)
  const shown: string[] = []
  let bytes = 0
  let full = false
  const reader = createLineReader(longestLine, (line, number) => {
    if (number < offset) return true
    const text = `${number}: ${line}`
    bytes += Buffer.byteLength(text) + 1
    full = shown.length === limit || (bytes > mostBytes && shown.length > 0)
    if (!full) shown.push(text)
    return !full
  })
  const chunk = Buffer.alloc(chunkSize)
  for (let at = 0; !full;) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) break
    reader.push(chunk.subarray(0, bytesRead))
    at += bytesRead
  }
  if (!full) reader.end()
  const total = reader.lines()
  if (shown.length === 0 && offset > 1) throw new ToolError(`"${path}" has ${plural(total, 'line')}; offset ${offset} is past its end`)
  const last = offset + shown.length - 1
  const note = full
    ? `[lines ${offset} to ${last}; read on with offset ${last + 1}]`
    : total === 0
      ? '[the file is empty]'
      : `[end of file, ${plural(total, 'line')}]`
  return {
    text: [...shown, note].join('\n'),
    data: { preview: shown.slice(0, previewLines).join('\n'), truncated: full, loaded: [] },
  }
}

async function listFolder({ path, real }: Place, { offset, limit }: Window): Promise<ToolResult> {
  const entries = await readdir(real, { withFileTypes: true })
  const names = entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.isSymbolicLink() ? `${entry.name}@` : entry.name))
    .sort()
  const shown = names.slice(offset - 1, offset - 1 + limit)
  if (shown.length === 0 && offset > 1) throw new ToolError(`"${path}" has ${names.length} entries; offset ${offset} is past its end`)
  const more = offset - 1 + shown.length < names.length
  const note = more
    ? `[${shown.length} of ${names.length} entries; read on with offset ${offset + shown.length}]`
    : `[${names.length} entries]`
  return { text: [...shown, note].join('\n'), data: { preview: shown.slice(0, previewLines).join('\n'), truncated: more, loaded: [] } }
}
