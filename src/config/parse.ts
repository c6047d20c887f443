// From the text of a settings file to Settings. Whatever is not understood is an error that says where it stands.
import { basename, dirname, join, resolve } from 'node:path'
import { type Mistake, mistakesIn, type Path } from '../base/check.ts'
import { DocumentError, readJsonc, readYaml, type Source } from '../base/document.ts'
import { quoted } from '../base/text.ts'
import type { Action } from '../supervise/contract.ts'
import { wrongName } from './names.ts'
import { isInside } from './places.ts'
import { SettingsError } from './read.ts'
import { providerTypes, settingsSchema } from './schema.ts'
import type { Profile, ProviderSettings, ProviderType, ServerSpec, Settings, SourcedRule } from './shape.ts'
import { rulesOfTools } from './tools.ts'

// As the schema has it.
type RawPermission = Action | Record<string, Action | Record<string, Action>>
type RawServer = (
  | { command: string[]; environment?: Record<string, string>; cwd?: string }
  | { url: string; headers?: Record<string, string>; type?: 'http' | 'sse' }
) & { enabled?: boolean; timeout?: string }
type RawProfile = Pick<Profile, 'prompt' | 'model' | 'tools' | 'maxTurns'> & { description?: string; permission?: RawPermission }
type RawSettings = Pick<Settings, 'model' | 'profile' | 'tools' | 'historyLimit' | 'maxCost' | 'maxTurns'> & {
  permission?: RawPermission
  profiles?: Record<string, RawProfile>
  mcp?: Record<string, RawServer>
  providers?: Record<string, { baseUrl: string; keyEnv?: string; type?: ProviderType }>
  env?: string[]
  redact?: { patterns?: string[] }
  instructions?: string[]
  timeout?: string
}

export type ParseContext = {
  /** As people know the file; it is in every message and in `from`. */
  shown: string
  home: string
  /** Set for a project's file: what it names must lie inside. */
  root?: string
}

export const noSettings: Settings = { rules: [], profiles: [], mcp: {}, providers: {}, env: [], redact: [], instructions: [] }

const mostMistakes = 20
const mostEntries = 1000 // of rules, profiles, servers, patterns …: to find the line of each takes time that grows with the square of their number
const longestPattern = 1000 // characters

export async function parseSettings(text: string, path: string, context: ParseContext): Promise<Settings> {
  const { shown } = context
  const source = await sourceOf(text, path, shown)
  const value = source.value ?? {} // a file of comments alone
  const mistakes = [...mistakesIn(value, settingsSchema, 'the file')]
  if (mistakes.length === 0) mistakes.push(...tooMany(value as RawSettings)) // checked just now
  const settings = mistakes.length > 0 ? noSettings : settingsOf(value as RawSettings, source, path, context, mistakes) // checked just now
  if (mistakes.length === 0) mistakes.push(...(await patternMistakes(settings.redact)))
  if (mistakes.length === 0) return settings
  const lines = mistakes.slice(0, mostMistakes).map((mistake) => `${shown}:${source.lineOf(mistake)}: ${mistake.message}`)
  throw new SettingsError(lines.join('\n'))
}

async function sourceOf(text: string, path: string, shown: string): Promise<Source> {
  try {
    return await (/\.ya?ml$/.test(basename(path)) ? readYaml(text, { aliases: false }) : readJsonc(text))
  } catch (error) {
    throw error instanceof DocumentError ? new SettingsError(`${shown}:${error.line}: ${error.message}`) : error
  }
}

function settingsOf(raw: RawSettings, source: Source, path: string, { shown, home, root }: ParseContext, mistakes: Mistake[]): Settings {
  const rulesAt = (permission: RawPermission | undefined, at: Path): SourcedRule[] => {
    const placed = rulesOf(permission, at, source)
    const named = new Map(placed.map((rule) => [rule.permission, [...at, rule.permission] as Path]))
    for (const [name, place] of named) nameAt(name, place, true)
    const rules = placed.map(({ at: place, ...rule }) => ({
      ...rule,
      from: `${shown}:${source.lineOf({ path: place, ofKey: true })}`,
    }))
    for (const rule of rules)
      if (rule.permission.length + rule.pattern.length > longestPattern)
        mistakes.push({ path: at, message: `a pattern is longer than ${longestPattern} characters` })
    return rules
  }
  const nameAt = (name: string, place: Path, ofKey: boolean): void => {
    const message = wrongName(name)
    if (message !== undefined) mistakes.push({ path: place, message, ...(ofKey && { ofKey }) })
  }
  const instructionAt = (name: string, index: number): string => {
    const file = name.startsWith('~/') ? join(home, name.slice(2)) : resolve(dirname(path), name)
    if (root !== undefined && !isInside(file, root))
      mistakes.push({ path: ['instructions', index], message: 'the instructions of a project must lie in it' })
    return file
  }
  const { model, profile, tools, historyLimit, maxCost, maxTurns } = raw
  for (const [index, name] of (tools ?? []).entries()) nameAt(name, ['tools', index], false)
  for (const [owner, { tools: only = [] }] of Object.entries(raw.profiles ?? {}))
    for (const [index, name] of only.entries()) nameAt(name, ['profiles', owner, 'tools', index], false)
  return {
    ...given({ model, profile, tools, historyLimit, maxCost, maxTurns, timeoutMs: raw.timeout && milliseconds(raw.timeout) }),
    rules: rulesAt(raw.permission, ['permission']),
    profiles: Object.entries(raw.profiles ?? {}).map(([name, { description = '', permission, tools: only, ...rest }]) => ({
      name,
      description,
      ...rest,
      ...given({ tools: only }),
      rules: [...rulesOfTools(only, `the profile ${name}`), ...rulesAt(permission, ['profiles', name, 'permission'])],
      from: `${shown}:${source.lineOf({ path: ['profiles', name], ofKey: true })}`,
    })),
    mcp: mapValues(raw.mcp, ({ timeout, ...server }): ServerSpec => ({
      ...server,
      ...given({ timeout: timeout && milliseconds(timeout) }),
    })),
    providers: mapValues(raw.providers, ({ type, ...rest }, name): ProviderSettings => ({ ...rest, type: type ?? typeNamed(name) })),
    env: raw.env ?? [],
    redact: raw.redact?.patterns ?? [],
    instructions: (raw.instructions ?? []).map(instructionAt),
  }
}

/** Told where the file is read, so that no command finds out later. */
async function patternMistakes(patterns: readonly string[]): Promise<Mistake[]> {
  if (patterns.length === 0) return []
  const { RE2JS } = await import('re2js') // heavy, and rarely needed
  return patterns.flatMap((pattern, index): Mistake[] => {
    try {
      RE2JS.compile(pattern)
      return []
    } catch (error) {
      const message = `the pattern ${quoted(pattern)} is no regular expression of RE2: ${(error as Error).message}; mend it or take it out`
      return [{ path: ['redact', 'patterns', index], message }]
    }
  })
}

function tooMany(raw: RawSettings): Mistake[] {
  const { permission, profiles = {}, mcp = {}, providers = {}, redact, tools = [], env = [], instructions = [] } = raw
  const lists: [Path, number][] = [
    [['profiles'], Object.keys(profiles).length],
    [['mcp'], Object.keys(mcp).length],
    [['providers'], Object.keys(providers).length],
    [['redact', 'patterns'], redact?.patterns?.length ?? 0],
    [['tools'], tools.length],
    [['env'], env.length],
    [['instructions'], instructions.length],
  ]
  const rules = [permission, ...Object.values(profiles).map((profile) => profile.permission)].reduce((sum, of) => sum + ruleCount(of), 0)
  const at = ruleCount(permission) > mostEntries ? 'permission' : 'profiles'
  return [
    ...lists.flatMap(([path, count]) =>
      count > mostEntries ? [{ path, message: `${path.join('.')}: there are ${count}; at most ${mostEntries} are taken` }] : [],
    ),
    ...(rules > mostEntries ? [{ path: [at], message: `there are ${rules} rules; at most ${mostEntries} are taken` }] : []),
  ]
}

type Placed = Omit<SourcedRule, 'from'> & { at: Path }

const ruleCount = (permission: RawPermission | undefined): number =>
  typeof permission !== 'object'
    ? Number(permission !== undefined)
    : Object.values(permission).reduce((sum, of) => sum + (typeof of === 'string' ? 1 : Object.keys(of).length), 0)

/** In the order of the file. */
function rulesOf(permission: RawPermission | undefined, at: Path, source: Source): Placed[] {
  if (permission === undefined) return []
  if (typeof permission === 'string') return [{ permission: '*', pattern: '*', action: permission, at }]
  return source.keysAt(at).flatMap((name): Placed[] => {
    const of = permission[name]!
    const place = [...at, name]
    if (typeof of === 'string') return [{ permission: name, pattern: '*', action: of, at: place }]
    return source.keysAt(place).map((pattern) => ({ permission: name, pattern, action: of[pattern]!, at: [...place, pattern] }))
  })
}

const typeNamed = (name: string): ProviderType => providerTypes.find((type) => type === name) ?? 'openai-compatible'

function mapValues<T, U>(of: Record<string, T> | undefined, change: (value: T, key: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(of ?? {}).map(([key, value]) => [key, change(value, key)]))
}

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const longestTimer = 2 ** 31 - 1
const milliseconds = (text: string): number => Math.min(Number.parseInt(text) * units[text.replace(/^\d+/, '')]!, longestTimer)

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined | ''> }
/** Without the keys that are undefined. */
function given<T extends object>(of: T): Given<T> {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Given<T>
}
