// The files that a call changed and how, as far as the call itself tells: from its result, else from its input. Agents tell it in
// many forms; each form is one function here, the surest first.
import { isRecord, type Rec } from '../base/json.ts'
import type { Change } from './row.ts'

type Told = { input?: unknown; data?: unknown; content?: readonly unknown[] | undefined; paths?: readonly string[] | undefined }

export function changesOf(told: Told): Change[] {
  const { input, data, content = [], paths = [] } = told
  const shown = content.filter(isRecord).filter(({ type }) => type === 'diff')
  if (shown.length > 0) return shown.map(fromDiffBlock)
  const from = isRecord(data) ? data : undefined
  const path = textAt(from, 'filePath') ?? textAt(from, 'file_path') ?? (isRecord(input) ? pathOf(input) : undefined) ?? paths[0]
  return fromHunks(from, path) ?? fromPatchText(from, path) ?? fromInput(input, path) ?? []
}

/** ACP's own block, which others use too. */
const fromDiffBlock = (block: Rec): Change => ({
  path: textAt(block, 'path'),
  before: textAt(block, 'oldText') ?? '',
  after: textAt(block, 'newText') ?? '',
})

/** Claude: `structuredPatch`, hunks with their lines. An empty list is a new file. */
function fromHunks(data: Rec | undefined, path: string | undefined): Change[] | undefined {
  const hunks = data?.['structuredPatch']
  if (!Array.isArray(hunks)) return undefined
  const lines = hunks
    .filter(isRecord)
    .flatMap((hunk) => [
      `@@ -${String(hunk['oldStart'])},${String(hunk['oldLines'])} +${String(hunk['newStart'])},${String(hunk['newLines'])} @@`,
      ...(Array.isArray(hunk['lines']) ? hunk['lines'].map(String) : []),
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
  if (Array.isArray(input['edits']))
    return input['edits'].filter(isRecord).flatMap((edit) => fromInput({ ...edit, file_path: path }, path) ?? [])
  const written = textAt(input, 'content') ?? textAt(input, 'file_text')
  return written === undefined || path === undefined ? undefined : [{ path, before: '', after: written }]
}

const pathOf = (input: Rec): string | undefined =>
  textAt(input, 'file_path') ?? textAt(input, 'filePath') ?? textAt(input, 'path') ?? textAt(input, 'absolute_path')

const textAt = (record: Rec | undefined, key: string): string | undefined => {
  const value = record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
  return typeof value === 'string' ? value : undefined
}
