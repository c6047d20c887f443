// What the input of a shell command says beside the command: another folder, more words, variables, a shell. The command alone is then
// not what runs.
import { isRecord } from '../base/json.ts'
import { wordOf } from '../base/text.ts'
import type { Ask } from './contract.ts'
import type { SimpleCommand } from './shell-findings.ts'
import { absolute } from './shell-paths.ts'
import { isHarmlessVariable } from './shell-words.ts'

export type BesideCommand = {
  /** Folders in which it may run instead: absolute, not tidied. */
  folders: string[]
  /** Why the command is not all that runs, or not in the way it reads. */
  doubt?: string
}

const folderKey = /^(cwd|workdir|workspace|(working|current)?(dir|directory|folder)|(dir|directory|folder)path)$/
const moreKey = /^(args|argv|arguments|commands|script|code|stdin)$/
const shells = /^((\/usr(\/local)?|\/opt\/homebrew)?\/bin\/)?(ba|z|da|a|k)?sh$|^$/

/** `commands`: what was found in the command. */
export function besideCommand(
  { name, input }: Ask,
  text: string,
  cwd: string,
  home: string,
  commands: readonly SimpleCommand[] = [],
): BesideCommand {
  const folders: string[] = []
  const fields = Object.entries(isRecord(input) ? input : {}).map(([key, value]) => ({ key, word: wordOf(key), value }))
  const places = fields.filter(({ word, value }) => folderKey.test(word) && typeof value === 'string' && value !== '')
  const isKnown = places.length === 1 && /^(cwd|workdir|directory)$/.test(places[0]!.key) // the command's own folder was made from it
  let doubt = /powershell|pwsh/i.test(name) && !isPlain(text) ? 'it is for another shell' : undefined
  for (const { key, value } of isKnown ? [] : places) {
    const said = String(value).trim()
    const folder = /(^|\/)\.\.(\/|$)/.test(said) ? undefined : absolute(said, cwd, home)
    if (folder === undefined) doubt ??= `${key} may be any folder`
    else if (folder !== cwd) folders.push(folder)
  }
  for (const { key, word, value } of fields) {
    if (moreKey.test(word) && !isEmpty(value) && !(word === 'commands' && isSaidAlready(value, text, commands)))
      doubt ??= `${key} says more than the command`
    if (/^env(ironment|vars)?$/.test(word) && !isHarmlessEnvironment(value)) doubt ??= `${key} sets variables`
    if (/^(shell|executable|interpreter)$/.test(word) && typeof value === 'string' && !shells.test(value))
      doubt ??= `${key} is no shell that is known`
  }
  return { folders, ...(doubt !== undefined && { doubt }) }
}

/** Some agents say the command once more, whole or as a list of its parts (Copilot). */
function isSaidAlready(value: unknown, text: string, commands: readonly SimpleCommand[]): boolean {
  const parts = (Array.isArray(value) ? value : [value]).map((one: unknown) => (isRecord(one) && isOnlyName(one) ? one['identifier'] : one))
  const known = new Set([text.trim(), ...commands.flatMap((command) => [command.text, ...command.words.slice(0, 1)])])
  return parts.every((part) => typeof part === 'string' && known.has(part.trim()))
}

const isOnlyName = ({ identifier: _, ...rest }: Record<string, unknown>): boolean =>
  Object.values(rest).every((value) => value === null || typeof value === 'boolean')

/** Every shell reads it alike. */
const isPlain = (text: string): boolean => /^[\w@%+=:,./ -]+$/.test(text)

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

const isHarmlessEnvironment = (value: unknown): boolean =>
  isEmpty(value) || (isRecord(value) && Object.entries(value).every(([variable, text]) => isHarmlessVariable(variable, String(text))))
