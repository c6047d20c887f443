// Puts new content in place of a file in one step and tells what changed. Only a file whose present content the session knows is changed.
import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Rec } from '../../../base/json.ts'
import { makeFolder } from '../../../files/folder.ts'
import { confirmPlace, type Place, told } from './files.ts'
import { type ToolContext, ToolError, type ToolRun } from './tool.ts'

export type Saved = { diff: string; filediff: Rec }

const mostCompared = 1_000_000 // characters: comparing more, or texts with little in common, takes longer than it is worth
const mostEdits = 5000
const mostKept = 1_000_000

/** Refuses what was never read, and what someone else has changed since. */
export function checkSeen(place: Place, found: Stats, { seen }: ToolContext): void {
  const known = seen.get(place.real)
  if (known === undefined) throw new ToolError(`"${place.path}" exists and has not been read in this session; read it first`)
  if (known.mtimeMs !== found.mtimeMs || known.size !== found.size)
    throw new ToolError(`"${place.path}" has changed since it was read; read it again`)
}

export async function save(place: Place, before: string | undefined, after: string, context: ToolContext, run: ToolRun): Promise<Saved> {
  run.signal.throwIfAborted()
  await told(place.path, () => replace(place, after))
  const { mtimeMs, size } = await stat(place.real)
  context.seen.set(place.real, { mtimeMs, size })
  const diff = await diffOf(place.path, before ?? '', after)
  run.emit('file.update', { changes: [{ path: place.real, change: before === undefined ? 'add' : 'update' }], diff })
  return { diff, filediff: { file: place.path, ...kept(before ?? '', after), ...countsOf(diff) } }
}

const kept = (before: string, after: string): Rec => (before.length + after.length > mostKept ? {} : { before, after })

/** The temporary file lies in the same folder, since a rename cannot leave its file system; a rename replaces a link, never its target. */
async function replace(place: Place, text: string): Promise<void> {
  makeFolder(dirname(place.real))
  const old = await stat(place.real).catch(() => undefined)
  const temporary = join(dirname(place.real), `.${randomUUID()}.tmp`)
  try {
    await using file = await open(temporary, 'wx', 0o666)
    if (old !== undefined) await file.chmod(old.mode & 0o7777)
    await file.writeFile(text)
    await file.datasync()
    await confirmPlace(place)
    await rename(temporary, place.real)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function diffOf(path: string, before: string, after: string): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  const small = before.length + after.length <= mostCompared
  const options = { context: 3, maxEditLength: mostEdits, headerOptions: FILE_HEADERS_ONLY }
  const patch = small ? createTwoFilesPatch(path, path, before, after, undefined, undefined, options) : undefined
  return patch ?? `--- ${path}\n+++ ${path}\n@@ too much has changed to be shown @@\n`
}

function countsOf(diff: string): { additions: number; deletions: number } {
  const body = diff.slice(Math.max(0, diff.indexOf('\n@@')))
  return { additions: body.match(/^\+/gm)?.length ?? 0, deletions: body.match(/^-/gm)?.length ?? 0 }
}
