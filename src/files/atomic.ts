// Replaces a file in one step: whoever reads it, and whatever kills us, finds the old content or the new, never a part.
import { open, rename, rm } from 'node:fs/promises'

/** `mode`: who may read it; what the user's mask takes away counts, too. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp` // in the same folder, since a rename cannot leave its file system
  try {
    await writeThrough(temporary, text, mode)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Down to the disk: else a power cut may leave the new name without its content. */
async function writeThrough(path: string, text: string, mode: number): Promise<void> {
  await using file = await open(path, 'w', mode)
  await file.writeFile(text)
  await file.datasync()
}
