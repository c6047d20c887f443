// A list of tools as rules: whatever built-in tool is not on it is denied. MCP tools have any name: for
// them a profile keeps its list, which is asked with matchesName.
import { overlap } from '../base/wildcard.ts'
import type { Profile, SourcedRule } from './shape.ts'

/** The permissions of the built-in tools, which are named like the tools. */
const toolNames: readonly string[] = ['bash', 'read', 'write', 'edit', 'glob', 'grep', 'webfetch', 'todowrite', 'task', 'skill']

export const rulesOfTools = (only: readonly string[] | undefined, from: string): SourcedRule[] =>
  toolNames.filter((name) => !isListed(name, only)).map((permission) => ({ permission, pattern: '*', action: 'deny', from }))

/** What a profile says beside its list of tools, whose rules come first. */
export const rulesBesideTools = (profile: Pick<Profile, 'rules' | 'tools'> | undefined): readonly SourcedRule[] =>
  profile?.rules.slice(rulesOfTools(profile.tools, '').length) ?? []

const isListed = (tool: string, only: readonly string[] | undefined): boolean => only?.some((pattern) => matchesName(pattern, tool)) ?? true

/** `*` and `?` in the pattern stand for any characters and for one. */
export const matchesName = (pattern: string, name: string): boolean => overlap(pattern, name)
