// What holds for every agent in a folder, gathered from the machine: settings as far as they are trusted, profiles and their rules, skills,
// keys that must never show.
import { providerKeys } from '../agents/builtin/model/choose.ts'
import { placesOf, type Places } from '../config/places.ts'
import { chooseProfile, findProfiles } from '../config/profiles.ts'
import { loadSettings } from '../config/settings.ts'
import { untrustedText } from '../config/untrusted.ts'
import type { Loaded, Profile } from '../config/shape.ts'
import { findSkills } from '../config/skills.ts'
import { rulesBesideTools } from '../config/tools.ts'
import type { PermissionRule } from '../supervise/contract.ts'
import { defaultRules } from '../supervise/rules.ts'

export type FrameOptions = {
  cwd: string
  env: NodeJS.ProcessEnv
  profile?: string
  settingsFile?: string
  trustProject: boolean
  /** From the command line: these come after all others. */
  rules: readonly PermissionRule[]
}

/** `data`: all of what the text only begins to name. */
export type Notice = { level: 'warn'; code: string; text: string; data?: Record<string, unknown> }

export type Frame = {
  places: Places
  settings: Loaded
  profile: Profile
  profiles: readonly Profile[]
  skills: Awaited<ReturnType<typeof findSkills>>['skills']
  /** What holds for the agent or subagent of a profile, in the order in which it counts. */
  rulesFor(profile: string): readonly PermissionRule[]
  /** The same for those below it, who have tools of their own. */
  boundsFor(profile: string): readonly PermissionRule[]
  /** Folders outside the project that the agent may use: its own outputs. */
  ownFolders: readonly string[]
  /** And those that it may only read: skills. */
  skillFolders: readonly string[]
  /** By the names of their variables. */
  keys: Readonly<Record<string, string>>
  /** Values that must never show. */
  secrets: readonly string[]
  /** What was passed over. */
  notices: readonly Notice[]
}

export async function prepareFrame(options: FrameOptions): Promise<Frame> {
  const { env, trustProject, settingsFile } = options
  const places = placesOf(options.cwd, env)
  const settings = await loadSettings({ places, trustProject, defaults: defaultRules, ...(settingsFile !== undefined && { settingsFile }) })
  const [found, { skills, problems }] = await Promise.all([findProfiles({ places, settings, trustProject }), findSkills(places)])
  const profileNamed = (name: string): Profile | undefined => found.profiles.find((one) => one.name === name)
  const withOwn = (own: readonly PermissionRule[]): PermissionRule[] => [...defaultRules, ...settings.rules, ...own, ...options.rules]
  const keys = providerKeys(env, settings.providers)
  const leftOut = [...settings.leftOut, ...found.leftOut]
  const untrusted = untrustedText(leftOut)
  return {
    places,
    settings,
    profile: chooseProfile(found.profiles, options.profile ?? settings.profile ?? 'default'),
    profiles: found.profiles,
    skills,
    rulesFor: (name) => withOwn(profileNamed(name)?.rules ?? []),
    boundsFor: (name) => withOwn(rulesBesideTools(profileNamed(name))),
    ownFolders: [],
    skillFolders: skills.map(({ folder }) => folder),
    keys,
    secrets: Object.values(keys),
    notices: [
      ...(untrusted === undefined ? [] : [{ level: 'warn' as const, code: 'untrusted', text: untrusted, data: { leftOut } }]),
      ...[...problems, ...found.problems].map(unreadable),
    ],
  }
}

export const unreadable = ({ path, reason }: { path: string; reason: string }): Notice => ({
  level: 'warn',
  code: 'unreadable',
  text: `${path}: ${reason}`,
})
