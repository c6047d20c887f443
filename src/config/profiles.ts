// Profiles: the agent's prompt, model and rules under a name. Built in, from `.claude/agents`, and from the settings.
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { readAgents } from './agents.ts'
import type { Places } from './places.ts'
import { shortPath } from './places.ts'
import { SettingsError } from './read.ts'
import { trustOr } from './settings.ts'
import type { Loaded, Profile } from './shape.ts'
import { rulesOfTools } from './tools.ts'
import { isTrusted } from './trust.ts'

export type FoundProfiles = {
  /** One for each name, the one that counts: built in, then of `.claude/agents`, then of the settings. */
  profiles: readonly Profile[]
  /** Files that are no profiles, and why. */
  problems: readonly { path: string; reason: string }[]
  /** The project's, as long as they are not trusted. */
  leftOut: readonly string[]
}

const readOnly = ['read', 'glob', 'grep']

const builtin: readonly Profile[] = [
  { name: 'default', description: 'the agent as it is', rules: [], from: 'built in' },
  {
    name: 'explore',
    description: 'Looks around and answers questions about the project; it reads and searches, and changes nothing.',
    prompt: `You look things up in a project for somebody else. Search and read until you can answer, then say what you found and where, with
paths and line numbers. You cannot change anything, and need not try.`,
    tools: readOnly,
    rules: rulesOfTools(readOnly, 'the profile explore'),
    from: 'built in',
  },
]

export async function findProfiles(options: { places: Places; settings: Loaded; trustProject?: boolean }): Promise<FoundProfiles> {
  const { places, settings, trustProject = false } = options
  const { agents, problems } = await readAgents(places)
  const trust = agents.some(({ where }) => where === 'project') && !trustProject ? trustOr(places, []) : new Map<string, string>()
  const leftOut: string[] = []
  const profiles = new Map(builtin.map((profile) => [profile.name, profile]))
  for (const { profile, where, ...file } of agents)
    if (where === 'home' || trustProject || isTrusted(trust, file)) profiles.set(profile.name, profile)
    else leftOut.push(`${shortPath(file.path, places.home)}: profile ${profile.name}`)
  for (const profile of settings.profiles) profiles.set(profile.name, profile)
  return { profiles: [...profiles.values()], problems, leftOut }
}

/** Throws a SettingsError that names the nearest one. */
export function chooseProfile(profiles: readonly Profile[], name: string): Profile {
  const found = profiles.find((profile) => profile.name === name)
  if (found !== undefined) return found
  const names = profiles.map((profile) => profile.name)
  const near = nearest(name, names)
  throw new SettingsError(
    `there is no profile ${quoted(name)}; ${near === undefined ? `known are ${names.join(', ')}` : `did you mean ${near}?`}`,
  )
}
