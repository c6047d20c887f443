// Writes a whole file. One that exists must have been read first, so that nothing is lost unseen.
import { optionalText, textField } from './fields.ts'
import { isBinary, patternsOf, type Place, readWhole, resolvePath, statOf } from './files.ts'
import { checkSeen, save } from './save.ts'
import { type Tool, type ToolContext, ToolError, type ToolResult, type ToolRun } from './tool.ts'

const mostBytes = 10 * 1024 * 1024

export const writeTool: Tool = {
  name: 'write',
  description:
    'Writes a file, and the folders above it when they are missing. A file that exists is replaced as a whole and must have been read first; ' +
    'to change a part of it use edit.',
  parameters: {
    type: 'object',
    properties: {
      filePath: { type: 'string', description: 'The file' },
      content: { type: 'string', description: 'All that it shall hold' },
    },
    required: ['filePath', 'content'],
    additionalProperties: false,
  },
  kind: 'edit',
  source: 'builtin',
  changes: true,
  async plan(input, context) {
    const place = await resolvePath(textField(input, 'filePath'), context)
    const content = optionalText(input, 'content') ?? ''
    return {
      title: place.path,
      paths: [place.path],
      ask: { permission: 'write', patterns: patternsOf(place, context.root), paths: [place.real] },
      run: (run) => write(place, content, context, run),
    }
  },
}

async function write(place: Place, content: string, context: ToolContext, run: ToolRun): Promise<ToolResult> {
  const found = await statOf(place.real)
  if (found !== undefined && !found.isFile()) throw new ToolError(`"${place.path}" is not a regular file; name another`)
  if (found !== undefined) checkSeen(place, found, context)
  const before = found === undefined ? undefined : await oldText(place)
  const { diff, filediff } = await save(place, before, content, context, run)
  return {
    text: `${before === undefined ? 'wrote' : 'replaced'} "${place.path}" (${Buffer.byteLength(content)} bytes)`,
    data: { filepath: place.path, exists: before !== undefined, diff, filediff, diagnostics: {}, truncated: false },
  }
}

/** Only to be compared: what is no text counts as empty. */
async function oldText(place: Place): Promise<string> {
  const { bytes } = await readWhole(place, mostBytes)
  return isBinary(bytes) ? '' : bytes.toString()
}
