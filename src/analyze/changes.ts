// The files that a call changed and how, as far as the call itself tells: from its result, else from what it showed while it ran, else
// from its input. Agents tell it in many forms; each form is one function here, the surest first.
import { isRecord, type Rec, stringifyJson } from '../base/json.ts'
import type { Change } from './row.ts'

type Told = {
  input?: unknown
  data?: unknown
  content?: readonly unknown[] | undefined
  /** Content before the end. */
  early?: readonly unknown[] | undefined
  paths?: readonly string[] | undefined
}

export function changesOf(told: Told): Change[] {
  const { input, data, content, early, paths = [] } = told
  const shown = fromDiffBlocks(content)
  if (shown !== undefined) return shown
  const from = isRecord(data) ? data : undefined
  const path = textAt(from, 'filePath') ?? textAt(from, 'file_path') ?? (isRecord(input) ? pathOf(input) : undefined) ?? paths[0]
  return fromHunks(from, path) ?? fromPatchText(from, path) ?? fromDiffBlocks(early) ?? fromInput(input, path) ?? []
}

/** ACP's own block, which others use too. */
export const isDiffBlock = (block: unknown): block is Rec => isRecord(block) && block['type'] === 'diff'

function fromDiffBlocks(content: readonly unknown[] | undefined): Change[] | undefined {
  const blocks = content?.filter(isDiffBlock) ?? []
  if (blocks.length === 0) return undefined
  return blocks.map((block) => ({
    path: textAt(block, 'path'),
    before: textAt(block, 'oldText') ?? '',
    after: textAt(block, 'newText') ?? '',
  }))
}

/** A number that keeps its text is an object, of which String makes nothing. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : (stringifyJson(value) ?? ''))

/** Claude: `structuredPatch`, hunks with their lines. An empty list is a new file. */
function fromHunks(data: Rec | undefined, path: string | undefined): Change[] | undefined {
  const hunks = data?.['structuredPatch']
  if (!Array.isArray(hunks)) return undefined
  const lines = hunks
    .filter(isRecord)
    .flatMap((hunk) => [
      `@@ -${shown(hunk['oldStart'])},${shown(hunk['oldLines'])} +${shown(hunk['newStart'])},${shown(hunk['newLines'])} @@`,
      ...(Array.isArray(hunk['lines']) ? hunk['lines'].map(shown) : []),
    ])
  if (lines.length > 0) return [{ path, patch: lines.join('\n') }]
  const content = textAt(data, 'content')
  return content === undefined ? undefined : [{ path, before: '', after: content }]
}

/** A patch as one text, under any of the names it goes by. */
function fromPatchText(data: Rec | undefined, path: string | undefined): Change[] | undefined {
  const patch = textAt(data, 'diff') ?? textAt(data, 'fileDiff') ?? textAt(data, 'unified_diff') ?? textAt(data, 'patch')
  return patch === undefined ? undefined : [{ path: textAt(data, 'fileName') ?? path, patch }]
}

function fromInput(input: unknown, path: string | undefined): Change[] | undefined {
  if (typeof input === 'string') return input.startsWith('*** Begin Patch') ? [{ patch: input }] : undefined
  if (!isRecord(input)) return undefined
  const patch = textAt(input, 'patch') ?? textAt(input, 'patchText')
  if (patch !== undefined) return [{ path, patch }]
  const before = textAt(input, 'old_string') ?? textAt(input, 'oldString') ?? textAt(input, 'old_str')
  const after = textAt(input, 'new_string') ?? textAt(input, 'newString') ?? textAt(input, 'new_str')
  if (before !== undefined || after !== undefined) return [{ path, before: before ?? '', after: after ?? '' }]
  if (Array.isArray(input['changes'])) return input['changes'].filter(isRecord).flatMap(fromFileChange)
  if (Array.isArray(input['edits']))
    return input['edits'].filter(isRecord).flatMap((edit) => fromInput({ ...edit, file_path: path }, path) ?? [])
  const written = textAt(input, 'content') ?? textAt(input, 'file_text')
  return written === undefined || path === undefined ? undefined : [{ path, before: '', after: written }]
}

/** Codex: of a file that is new or gone the `diff` is its text, of another a patch. */
function fromFileChange(change: Rec): Change[] {
  const [path, diff, kind] = [textAt(change, 'path'), textAt(change, 'diff'), change['kind']]
  if (diff === undefined) return []
  const word = isRecord(kind) ? kind['type'] : kind
  return [
    word === 'add' ? { path, before: '', after: diff } : word === 'delete' ? { path, before: diff, after: '' } : { path, patch: diff },
  ]
}

const pathOf = (input: Rec): string | undefined =>
  textAt(input, 'file_path') ?? textAt(input, 'filePath') ?? textAt(input, 'path') ?? textAt(input, 'absolute_path')

const textAt = (record: Rec | undefined, key: string): string | undefined => {
  const value = record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
  return typeof value === 'string' ? value : undefined
}
