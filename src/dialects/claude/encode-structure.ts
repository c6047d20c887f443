// The document's `tool_use_result` of each tool: the tool's own structure if it is one, else made from what is known of the call. The
// built-in agent's tools tell less in `data` than in their text, which is read here. What the tool gave back and nobody told is not made up.
import { isRecord, type Rec } from '../../base/json.ts'
import type { EventOf } from '../../model/event.ts'
import { str } from '../values.ts'
import type { WriteCall } from './encode-state.ts'

export function structureOf(event: EventOf<'tool.end'>, call: WriteCall): Rec | undefined {
  const { data } = event
  const input = isRecord(call.input) ? call.input : {}
  const path = call.paths?.[0] ?? str(input['file_path']) ?? str(input['filePath']) ?? str(input['path'])
  const given = isRecord(data) ? data : {}
  const text = plainText(event)
  switch (call.name.toLowerCase()) {
    case 'bash': {
      if ('stdout' in given) return given
      if (call.printed !== undefined && isAll(call.printed, str(given['output']) ?? text))
        return { ...call.printed, interrupted: false, isImage: false }
      const stdout = str(given['output']) ?? text
      return stdout === undefined ? undefined : { stdout, stderr: '', interrupted: false, isImage: false }
    }
    case 'read':
      if (isRecord(given['file'])) return given
      if (path === undefined) return undefined
      return pictureOf(event) ?? (text === undefined ? undefined : fileOf(path, input, given, text))
    case 'grep':
      if ('mode' in given || 'filenames' in given) return given
      if (text === undefined) return undefined
      return (typeof given['matches'] === 'number' ? matchesOf(given['matches'], text) : undefined) ?? grepOf(input, text)
    case 'glob': {
      if ('filenames' in given) return given
      if (text === undefined) return undefined
      const { count, truncated } = given
      const filenames = typeof count === 'number' ? text.split('\n').slice(0, count) : filled(text)
      const took = event.durationMs ?? (event.at !== undefined && call.at !== undefined ? Math.max(0, event.at - call.at) : 0)
      return { filenames, durationMs: took, numFiles: filenames.length, truncated: truncated === true }
    }
    case 'write':
      if ('filePath' in given) return given
      if (path === undefined || typeof input['content'] !== 'string') return undefined
      return { ...creation(given), filePath: path, content: input['content'], ...changeOf(given) }
    case 'edit': {
      if ('filePath' in given) return given
      const [before, after] = [str(input['old_string']) ?? str(input['oldString']), str(input['new_string']) ?? str(input['newString'])]
      if (path === undefined || before === undefined || after === undefined) return undefined
      const replaceAll = input['replace_all'] === true || input['replaceAll'] === true
      return { filePath: path, oldString: before, newString: after, replaceAll, ...changeOf(given) }
    }
    default:
      return isRecord(data) ? data : undefined
  }
}

/**
 * What the tool itself gave back, as far as it was told. Others wrap it for the model: opencode names the path of a file and numbers its
 * lines, as old versions of Claude Code do, Copilot notes how a shell ended. That is no content of a file and no output of a command.
 */
function plainText({ text, content, data }: EventOf<'tool.end'>): string | undefined {
  const told = text ?? textOfBlocks(content) ?? str(data)
  return told === undefined || isNumbered.test(told) || endsWithShell(told) ? undefined : told
}
const isNumbered = /^<path>[^\n]*<\/path>\n<type>|^<file>\n\d+\||^ *\d+→/

/** As `/<shellId: [^>]*>$/`, which tries every place of a long text. */
function endsWithShell(text: string): boolean {
  const note = text.endsWith('>') ? text.lastIndexOf('<shellId: ') : -1
  return note !== -1 && text.indexOf('>', note) === text.length - 1
}

function textOfBlocks(content: readonly unknown[] | undefined): string | undefined {
  const texts = content?.flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : []))
  return texts === undefined || texts.length === 0 ? undefined : texts.join('\n')
}

// ── read ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function pictureOf({ content }: EventOf<'tool.end'>): Rec | undefined {
  const picture = content?.find((part) => isRecord(part) && part['type'] === 'file' && str(part['mime'])?.startsWith('image/'))
  if (!isRecord(picture) || typeof picture['data'] !== 'string') return undefined
  const originalSize = Math.floor((picture['data'].replace(/=+$/, '').length * 3) / 4)
  return { type: 'image', file: { base64: picture['data'], type: picture['mime'], originalSize } }
}

function fileOf(filePath: string, input: Rec, given: Rec, text: string): Rec | undefined {
  if ('preview' in given) {
    const shown = numbered(text)
    return shown === undefined ? undefined : { type: 'text', file: { filePath, ...shown } } // a folder is no file
  }
  const lines = countLines(text)
  const startLine = typeof input['offset'] === 'number' ? input['offset'] : 1
  return { type: 'text', file: { filePath, content: text, numLines: lines, startLine, totalLines: startLine - 1 + lines } }
}

/** Lines as `N: text`, and a note after them that may say how many there are. */
function numbered(text: string): Rec | undefined {
  const lines = text.split('\n')
  const note = lines.pop() ?? ''
  const found = lines.map((line) => /^(\d+): (.*)$/s.exec(line))
  if (!note.startsWith('[') || !found.every((match) => match !== null)) return undefined
  const startLine = Number(found[0]?.[1] ?? 1)
  const total = /^\[end of file, (\d+) /.exec(note)?.[1]
  return {
    content: found.map((match) => match[2]).join('\n'),
    numLines: found.length,
    startLine,
    totalLines: total === undefined ? (found.length === 0 ? 0 : startLine + found.length - 1) : Number(total),
  }
}

// ── grep ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function grepOf(input: Rec, text: string): Rec {
  const mode = str(input['output_mode']) ?? 'content'
  const filenames = mode === 'files_with_matches' ? filled(text) : []
  return { mode, numFiles: filenames.length, filenames, content: text, numLines: countLines(text) }
}

/** Each file once, its lines below it as `  N: text`: written the way that the document has them. Undefined: it is told otherwise. */
function matchesOf(matches: number, text: string): Rec | undefined {
  const files = new Set<string>()
  const lines: string[] = []
  let file = ''
  for (const line of text.split('\n')) {
    const [, number, match] = /^ {2}(\d+): ?(.*)$/.exec(line) ?? []
    if (number !== undefined) {
      lines.push(`${file}:${number}:${match}`)
      files.add(file)
    } else if (line.endsWith(':')) file = line.slice(0, -1)
  }
  if (lines.length !== matches) return undefined
  return { mode: 'content', numFiles: files.size, filenames: [], content: lines.join('\n'), numLines: lines.length }
}

// ── write and edit ───────────────────────────────────────────────────────────────────────────────────────────────────────

const creation = ({ exists }: Rec): Rec => (typeof exists === 'boolean' ? { type: exists ? 'update' : 'create' } : {})

/** What the file was, and what has become of it. */
function changeOf({ diff, filediff, exists }: Rec): Rec {
  if (typeof diff !== 'string') return {}
  const before = isRecord(filediff) ? str(filediff['before']) : undefined
  return { originalFile: exists === false ? null : (before ?? null), structuredPatch: hunksOf(diff), userModified: false }
}

/** The hunks of a unified diff. */
function hunksOf(diff: string): Rec[] {
  const hunks: { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] }[] = []
  for (const line of diff.split('\n')) {
    const [, oldStart, oldLines = '1', newStart, newLines = '1'] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (oldStart !== undefined)
      hunks.push({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newStart: Number(newStart),
        newLines: Number(newLines),
        lines: [],
      })
    else if (/^[-+ \\]/.test(line)) hunks.at(-1)?.lines.push(line)
  }
  return hunks
}

// ── small ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const filled = (text: string): string[] => text.split('\n').filter((line) => line !== '')

function countLines(text: string): number {
  let count = text === '' ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Both streams are all that the result says: none of it was cut, and nothing was added. */
const isAll = ({ stdout, stderr }: NonNullable<WriteCall['printed']>, text: string | undefined): boolean =>
  text === undefined || stdout.length + stderr.length === text.length
