// What makes opencode ask. By itself it allows nearly all that it was not told to refuse, and what is passed in its environment counts
// more than a person's settings: so only that is passed which none of them has a word on.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isRecord, type Rec } from '../../base/json.ts'
import { homeOf } from '../../files/home.ts'
import type { AgentRequest, Program } from '../driver.ts'

type Variables = Readonly<Record<string, string>>

/** What changes something, or goes out. The rest is as harmless as opencode takes it for. */
const asked = ['edit', 'bash', 'webfetch', 'websearch'] as const

/** `mode` is one of its agents, such as `build` or `plan`: they have permissions of their own. Where nobody can be asked it refuses. */
export function asking(program: Program, { mode, guard }: AgentRequest): Program {
  const { cwd, env } = program
  const permission = guard !== undefined ? guardingPermissions(cwd, env) : mode === undefined ? askingPermissions(cwd, env) : undefined
  return permission === undefined ? program : { ...program, env: { ...program.env, OPENCODE_PERMISSION: permission } }
}

/** For OPENCODE_PERMISSION; undefined where there is nothing to ask for. */
export function askingPermissions(cwd: string, env: Variables): string | undefined {
  const settings = settingsIn(cwd, env)
  const words: Rec = {}
  for (const setting of settings) Object.assign(words, wordsOf(setting))
  if (words['*'] !== undefined) return undefined
  const wanted: Rec = {}
  for (const name of asked) {
    const word = words[name]
    if (word === undefined) wanted[name] = 'ask'
    // Patterns leave the rest open. The last rule counts, and this key, which means the same name, comes last.
    else if (isRecord(word) && word['*'] === undefined) wanted[`?${name.slice(1)}`] = { '*': 'ask', ...word }
  }
  for (const server of settings.flatMap(({ mcp }) => (isRecord(mcp) ? Object.keys(mcp) : []))) {
    const prefix = server.replace(/[^\w-]/g, '_')
    if (!Object.keys(words).some((name) => name.startsWith(prefix))) wanted[`${prefix}_*`] = 'ask'
  }
  return Object.keys(wanted).length === 0 ? undefined : JSON.stringify({ ...ownWords(env), ...wanted })
}

/** All that a rule can be about. */
const all = [...asked, 'read', 'glob', 'grep', 'list', 'task', 'skill', 'todowrite', 'codesearch', 'lsp', 'external_directory'] as const

/** The same where a rule or gate must hold: what anybody allows is asked for, and what anybody denies stays denied. */
export function guardingPermissions(cwd: string, env: Variables): string {
  const settings = settingsIn(cwd, env)
  const words: Rec = Object.fromEntries(all.map((name) => [name, 'ask']))
  for (const server of settings.flatMap(({ mcp }) => (isRecord(mcp) ? Object.keys(mcp) : [])))
    words[`${server.replace(/[^\w-]/g, '_')}_*`] = 'ask'
  for (const setting of settings)
    for (const [name, word] of Object.entries(wordsOf(setting))) {
      delete words[name] // the last rule counts
      words[name] = isRecord(word)
        ? { '*': 'ask', ...Object.fromEntries(Object.entries(word).map(([key, one]) => [key, notAllowed(one)])) }
        : notAllowed(word)
    }
  const wanted = Object.entries(words).map(([name, word]) => [lastKey(name), word])
  return JSON.stringify({ ...ownWords(env), ...Object.fromEntries(wanted) })
}

const notAllowed = (word: unknown): unknown => (word === 'deny' || word === false ? 'deny' : 'ask')

/** Another spelling of a name: it comes after all keys of the settings, and so counts more than they do. */
const lastKey = (name: string): string => (name === '*' ? '**' : name.startsWith('?') ? `*${name.slice(1)}` : `?${name.slice(1)}`)

/** `tools` is the older way to say it, and has no patterns. */
function wordsOf({ permission, tools }: Rec): Rec {
  const old = Object.entries(isRecord(tools) ? tools : {}).map(([name, value]) => [/^(write|patch)$/.test(name) ? 'edit' : name, value])
  return { ...Object.fromEntries(old), ...(typeof permission === 'string' ? { '*': permission } : isRecord(permission) ? permission : {}) }
}

/** What the person passes this way is passed on. */
const ownWords = (env: Variables): Rec => parsed(env['OPENCODE_PERMISSION'] ?? '') ?? {}

/** Those that it will read itself: it takes a relative path from where it works. */
function settingsIn(cwd: string, env: Variables): Rec[] {
  const home = resolve(cwd, env['HOME'] || homeOf({}))
  const global = resolve(cwd, env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode')
  const folders = ['/etc/opencode', global, join(home, '.opencode')]
  if (env['OPENCODE_CONFIG_DIR'] !== undefined) folders.push(resolve(cwd, env['OPENCODE_CONFIG_DIR']))
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder, join(folder, '.opencode'))
    if (folder === dirname(folder)) break
  }
  const names = ['opencode.json', 'opencode.jsonc', 'config.json']
  const files = folders.flatMap((folder) =>
    names.map((name) => join(folder, name)).filter((file) => folder === global || !file.endsWith('/config.json')),
  )
  if (env['OPENCODE_CONFIG'] !== undefined) files.push(resolve(cwd, env['OPENCODE_CONFIG']))
  const texts = [...files.map(textOf), env['OPENCODE_CONFIG_CONTENT'] ?? '', JSON.stringify({ permission: ownWords(env) })]
  return texts.map(parsed).filter((setting) => setting !== undefined)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** JSON with comments and commas too many. What cannot be read is left for opencode to complain about. */
function parsed(text: string): Rec | undefined {
  const plain = text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_all, kept: string | undefined) => kept ?? '')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_all, kept: string | undefined) => kept ?? '')
  try {
    const value: unknown = JSON.parse(plain)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
