// Which files of projects the user trusts, and in which state: a list of paths with the SHA-256 of what was shown and agreed to.
// Whatever has changed since is as untrusted as what was never seen.
import { chmodSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { replaceFile } from '../files/atomic.ts'
import { makeFolder } from '../files/folder.ts'
import { readText, reasonOf, SettingsError } from './read.ts'

const largest = 4 * 2 ** 20

/** Path (links resolved) → hash. */
export type Trust = ReadonlyMap<string, string>

export const trustPath = (stateFolder: string): string => join(stateFolder, 'trust.json')

/** Throws a SettingsError when the list is there and cannot be relied on. */
export function readTrust(stateFolder: string): Trust {
  const path = trustPath(stateFolder)
  const fail = (reason: string): never => {
    throw new SettingsError(`the list of trusted files ${quoted(path, 500)} cannot be used: ${reason}`)
  }
  try {
    const file = readText(path, { most: largest })
    if (file === undefined) return new Map()
    const { uid, mode } = statSync(file.path)
    if (uid !== process.getuid?.() && uid !== 0) fail('it belongs to somebody else')
    if ((mode & 0o022) !== 0) fail('others may write to it; chmod 600 it when you know what is in it')
    const value: unknown = JSON.parse(file.text)
    const files =
      isRecord(value) && isRecord(value['files']) ? Object.entries(value['files']) : fail('it is not a list of files; remove it')
    return new Map(files.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch (error) {
    if (error instanceof SettingsError) throw error
    return fail(error instanceof SyntaxError ? 'it is not JSON; remove it' : reasonOf(error))
  }
}

export async function writeTrust(stateFolder: string, trust: Trust): Promise<void> {
  const path = trustPath(stateFolder)
  makeFolder(dirname(path), 0o700)
  chmodSync(dirname(path), 0o700) // it may have been there
  await replaceFile(path, `${JSON.stringify({ version: 1, files: Object.fromEntries(trust) }, null, 2)}\n`)
  chmodSync(path, 0o600)
}

export const isTrusted = (trust: Trust, { path, hash }: { path: string; hash: string }): boolean => trust.get(path) === hash
