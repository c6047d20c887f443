// Scripts as models: a file's, or one that is built in. Each is read once, so that all who use it (a session and its subagents) talk to
// the same one.
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { loadScript } from '../../../script/load.ts'
import { createScripted } from './scripted.ts'

export type LoadedScript = { model: LanguageModelV4; /** `provider/name`, as the script has it. */ standsFor: string | undefined }

/** Throws when it cannot be read, or is not a script. */
export type Scripts = (name: string) => Promise<LoadedScript>

/** `builtIn`: texts by name, which go before files; `./name` is always a file. */
export function createScripts(cwd: string, builtIn: Readonly<Record<string, () => Promise<string>>> = {}): Scripts {
  const loaded = new Map<string, Promise<LoadedScript>>()

  async function load(name: string, isBuiltIn: boolean, file: string): Promise<LoadedScript> {
    const text = isBuiltIn ? await builtIn[name]!() : await readScript(file, Object.keys(builtIn))
    const script = await loadScript(text, isBuiltIn ? `script/${name}` : file)
    return { model: createScripted(script, isBuiltIn ? name : basename(file)), standsFor: script.model }
  }

  return (name) => {
    const isBuiltIn = Object.hasOwn(builtIn, name)
    const file = resolve(cwd, name)
    const key = isBuiltIn ? name : file
    const known = loaded.get(key) ?? load(name, isBuiltIn, file)
    loaded.set(key, known)
    return known
  }
}

const reasons: Record<string, string> = { ENOENT: 'no such file', EISDIR: 'it is a folder', EACCES: 'permission denied' }
const reasonOf = ({ code = '', message }: NodeJS.ErrnoException): string => reasons[code] ?? message

async function readScript(file: string, builtIn: readonly string[]): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const others = builtIn.length === 0 ? '' : ` (built in: ${builtIn.map((name) => `script/${name}`).join(', ')})`
    throw new Error(`the script "${file}" cannot be read: ${reasonOf(error as NodeJS.ErrnoException)}${others}`, { cause: error })
  }
}
