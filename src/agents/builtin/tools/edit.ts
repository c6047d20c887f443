// Replaces a piece of a file. The marks of the file stay: its byte order mark and, where all its lines end so, CR LF.
import { plural } from '../../../base/text.ts'
import { textField } from './fields.ts'
import { isBinary, patternsOf, type Place, readWhole, resolvePath, statOf } from './files.ts'
import { findPiece } from './match.ts'
import { checkSeen, save } from './save.ts'
import { type Tool, type ToolContext, ToolError, type ToolResult, type ToolRun } from './tool.ts'

const mostBytes = 10 * 1024 * 1024

export const editTool: Tool = {
  name: 'edit',
  description:
    'Replaces a piece of a file that has been read in this session. oldString must be in the file as written, without line numbers, and only once, ' +
    'unless replaceAll is set; give enough of the lines around it. An empty oldString makes a new file of newString.',
  parameters: {
    type: 'object',
    properties: {
      filePath: { type: 'string', description: 'The file' },
      oldString: { type: 'string', description: 'The piece to replace' },
      newString: { type: 'string', description: 'What to put in its place' },
      replaceAll: { type: 'boolean', description: 'Replace it wherever it stands' },
    },
    required: ['filePath', 'oldString', 'newString'],
    additionalProperties: false,
  },
  kind: 'edit',
  source: 'builtin',
  changes: true,
  async plan(input, context) {
    const change = { old: textField(input, 'oldString'), new: textField(input, 'newString'), all: input['replaceAll'] === true }
    if (change.old === change.new) throw new ToolError('oldString and newString are the same; there is nothing to change')
    const place = await resolvePath(textField(input, 'filePath'), context)
    return {
      title: place.path,
      paths: [place.path],
      ask: { permission: 'edit', patterns: patternsOf(place, context.root), paths: [place.real] },
      run: (run) => edit(place, change, context, run),
    }
  },
}

type Change = { old: string; new: string; all: boolean }

async function edit(place: Place, change: Change, context: ToolContext, run: ToolRun): Promise<ToolResult> {
  const before = change.old === '' ? undefined : await oldText(place, context)
  if (before === undefined && (await statOf(place.real)) !== undefined)
    throw new ToolError(`"${place.path}" exists; an empty oldString only makes new files: say which piece to replace`)
  const { after, note } = before === undefined ? { after: change.new, note: 'made a new file' } : changed(place.path, before, change)
  const { diff, filediff } = await save(place, before, after, context, run)
  return { text: `${note}: "${place.path}"`, data: { diff, filediff, diagnostics: {}, truncated: false } }
}

async function oldText(place: Place, context: ToolContext): Promise<string> {
  const found = await statOf(place.real)
  if (found === undefined) throw new ToolError(`"${place.path}" does not exist; to make it, leave oldString empty`)
  if (!found.isFile()) throw new ToolError(`"${place.path}" is not a regular file; name another`)
  checkSeen(place, found, context)
  const { bytes, stats } = await readWhole(place, mostBytes)
  checkSeen(place, stats, context)
  if (isBinary(bytes)) throw new ToolError(`"${place.path}" is a binary file, which cannot be edited`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new ToolError(`"${place.path}" is not UTF-8, and editing would spoil it; use a command`, { cause: error })
  }
}

function changed(path: string, before: string, change: Change): { after: string; note: string } {
  const mark = before.startsWith('\ufeff') ? '\ufeff' : ''
  const crlf = before.includes('\r\n') && !/(^|[^\r])\n/.test(before)
  const inner = (text: string): string => (crlf ? text.replaceAll('\r\n', '\n') : text)
  const text = inner(before.slice(mark.length))
  const { matches, how } = findPiece(text, inner(change.old), inner(change.new))
  if (matches.length === 0) throw new ToolError(`oldString is not in "${path}"; read the file and take the piece as it stands there`)
  if (matches.length > 1 && (how !== 'exact' || !change.all)) {
    const places = matches.slice(0, 5).map(({ start }) => text.slice(0, start).split('\n').length)
    const hint = how === 'exact' ? 'give more of the lines around it, or set replaceAll' : 'give it exactly as it stands there'
    throw new ToolError(
      `oldString is in "${path}" ${matches.length} times (lines ${places.join(', ')}${matches.length > 5 ? ' …' : ''}); ${hint}`,
    )
  }
  let after = ''
  let at = 0
  for (const match of matches) {
    after += text.slice(at, match.start) + match.text
    at = match.end
  }
  after += text.slice(at)
  const note = `replaced ${plural(matches.length, 'piece')}${how === 'exact' ? '' : ` (matched but for its ${how})`}`
  return { after: mark + (crlf ? after.replaceAll('\n', '\r\n') : after), note }
}
