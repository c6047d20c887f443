// The settings that count: the user's, then the project's as far as it is trusted. A profile and the command line come after them.
import { lstatSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { quoted } from '../base/text.ts'
import type { PermissionRule } from '../supervise/contract.ts'
import { noSettings, parseSettings } from './parse.ts'
import { foldersBetween, type Places, settingsNames, shortPath } from './places.ts'
import { readText, reasonOf, SettingsError } from './read.ts'
import type { Loaded, Settings, SettingsFile, SettingsKey } from './shape.ts'
import { tighten } from './tighten.ts'
import { isTrusted, readTrust, type Trust } from './trust.ts'

export type LoadOptions = {
  places: Places
  /** `--settings FILE`: in place of the user's own file. */
  settingsFile?: string
  /** `--trust-project`: the project's files count in full, for this run. */
  trustProject?: boolean
  /** The built-in rules: what an untrusted project adds must not loosen them either. */
  defaults?: readonly PermissionRule[]
}

const largest = 2 ** 20 // bytes
const mostTold = 50 // of what a file wants and does not get

/** Throws a SettingsError for a file that is wrong. */
export async function loadSettings({ places, settingsFile, trustProject = false, defaults = [] }: LoadOptions): Promise<Loaded> {
  const leftOut: string[] = []
  const files: Loaded['files'][number][] = []
  const from: Partial<Record<SettingsKey, string[]>> = {}
  let sum = noSettings
  const add = (path: string, settings: Settings): void => {
    sum = merged(sum, settings)
    for (const key of keysOf(settings)) (from[key] ??= []).push(path)
  }
  const own = settingsFile === undefined ? await userFile(places) : await named(settingsFile, places)
  if (own !== undefined) {
    files.push({ path: own.path, where: 'user', trusted: true })
    add(own.path, own.settings)
  }
  const project = await projectFiles(places, own?.path)
  const trust = project.length === 0 || trustProject ? new Map<string, string>() : trustOr(places, leftOut)
  for (const file of project) {
    const trusted = trustProject || isTrusted(trust, file)
    files.push({ path: file.path, where: 'project', trusted })
    if (trusted) add(file.path, file.settings)
    else {
      const base = { ...sum, rules: [...defaults.map((rule) => ({ ...rule, from: 'built in' })), ...sum.rules] }
      const { kept, leftOut: wishes } = tighten(file.settings, base, places.home)
      add(file.path, kept)
      const shown = shortPath(file.path, places.home)
      leftOut.push(...wishes.slice(0, mostTold).map((wish) => `${shown}: ${wish}`))
      if (wishes.length > mostTold) leftOut.push(`${shown}: ${wishes.length - mostTold} more; see sluice trust`)
    }
  }
  return { ...sum, files, from, leftOut }
}

/** A list that cannot be read trusts nothing; that is told where everything else is that does not count. */
export function trustOr({ stateFolder }: Places, leftOut: string[]): Trust {
  try {
    return readTrust(stateFolder)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    leftOut.push(error.message)
    return new Map()
  }
}

// ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const userFile = (places: Places): Promise<SettingsFile | undefined> => fileIn(places.configFolder, places)

async function named(path: string, places: Places): Promise<SettingsFile> {
  const file = await read(resolve(places.cwd, path), places)
  if (file === undefined) throw new SettingsError(`there is no settings file ${quoted(path, 500)}`)
  return file
}

/** From the root down to cwd, so that the nearest has the last word. `except`: the user's own file, when one works where it lies. */
export async function projectFiles(places: Places, except?: string): Promise<SettingsFile[]> {
  const found = await Promise.all(foldersBetween(places.root, places.cwd).map((folder) => fileIn(folder, places, places.root)))
  return found.filter((file): file is SettingsFile => file !== undefined && file.path !== except)
}

async function fileIn(folder: string, places: Places, root?: string): Promise<SettingsFile | undefined> {
  const present = settingsNames.map((name) => join(folder, name)).filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
  const [path, other] = present
  if (other !== undefined) throw new SettingsError(`both ${quoted(path, 500)} and ${quoted(other, 500)} are there; keep one of them`)
  return path === undefined ? undefined : read(path, places, root)
}

async function read(path: string, { home }: Places, root?: string): Promise<SettingsFile | undefined> {
  const shown = shortPath(path, home)
  let file
  try {
    file = readText(path, { most: largest, ...(root !== undefined && { within: root }) })
  } catch (error) {
    throw new SettingsError(`cannot read the settings ${quoted(shown, 500)}: ${reasonOf(error)}`, { cause: error })
  }
  if (file === undefined) return undefined
  if (file.cut) throw new SettingsError(`the settings ${quoted(shown, 500)} are longer than ${largest} bytes`)
  const settings = await parseSettings(file.text, file.path, { shown, home, ...(root !== undefined && { root }) })
  return { path: file.path, hash: file.hash, settings }
}

// ── merging ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What comes later counts more: it is added to lists, and takes the place of what has the same name. */
function merged(first: Settings, then: Settings): Settings {
  const names = new Set(then.profiles.map(({ name }) => name))
  return {
    ...first,
    ...then,
    rules: [...first.rules, ...then.rules],
    profiles: [...first.profiles.filter(({ name }) => !names.has(name)), ...then.profiles],
    mcp: { ...first.mcp, ...then.mcp },
    providers: { ...first.providers, ...then.providers },
    env: [...first.env, ...then.env],
    redact: [...first.redact, ...then.redact],
    instructions: [...first.instructions, ...then.instructions],
  }
}

/** The keys under which something stands. */
const keysOf = (settings: Settings): SettingsKey[] =>
  (Object.keys(settings) as SettingsKey[]).filter((key) => {
    const value = settings[key]
    return typeof value === 'object' ? Object.keys(value).length > 0 : value !== undefined
  })
