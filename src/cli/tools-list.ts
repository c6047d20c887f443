// The tools that a session would have, and what the rules say of each: not what a single call will meet, but where it starts from.
import { skillParameters } from '../agents/builtin/skill.ts'
import { taskParameters } from '../agents/builtin/task.ts'
import type { Tool } from '../agents/builtin/tools/tool.ts'
import type { Profile } from '../config/shape.ts'
import { matchesName } from '../config/tools.ts'
import { plural } from '../base/text.ts'
import type { Action, PermissionRule } from '../supervise/contract.ts'
import { formatRule, isAbout, toolHidden } from '../supervise/rules.ts'

export type ToolRow = {
  name: string
  source: 'builtin' | 'mcp'
  server?: string
  /** What holds for a call that no narrower rule is about. */
  action: Action
  /** The narrower rules. */
  rules: readonly string[]
  /** The model does not see it. */
  hidden: boolean
  /** Its first sentence. */
  description: string
  /** What it takes: a JSON Schema of an object. */
  parameters: Tool['parameters']
}

export type ToolFacts = {
  tools: readonly Pick<Tool, 'name' | 'source' | 'server' | 'description' | 'parameters'>[]
  profile: Pick<Profile, 'tools'>
  rules: readonly PermissionRule[]
}

/** Those that the agent makes for itself, when there is something to make them of. */
export const ownTools = (skills: number, profiles: readonly string[]): ToolFacts['tools'] => [
  ...(skills > 0
    ? [
        {
          name: 'skill',
          source: 'builtin',
          description: `Loads a skill; ${plural(skills, 'skill')} found here.`,
          parameters: skillParameters,
        } as const,
      ]
    : []),
  ...(profiles.length > 0
    ? [
        {
          name: 'task',
          source: 'builtin',
          description: 'Gives a piece of work to a subagent.',
          parameters: taskParameters(profiles),
        } as const,
      ]
    : []),
]

export function toolRows({ tools, profile, rules }: ToolFacts): ToolRow[] {
  return tools.map(({ name, source, server, description, parameters }) => {
    const about = rules.filter((rule) => isAbout(rule, name))
    const base = about.findLastIndex(({ pattern }) => pattern === '*')
    return {
      name,
      source,
      ...(server !== undefined && { server }),
      action: about[base]?.action ?? 'ask',
      rules: about.slice(base + 1).map(formatRule),
      hidden: toolHidden(rules, name) || (profile.tools !== undefined && !profile.tools.some((pattern) => matchesName(pattern, name))),
      description: firstSentence(description),
      parameters,
    }
  })
}

export function verdictText({ action, rules, hidden }: Pick<ToolRow, 'action' | 'rules' | 'hidden'>): string {
  if (hidden) return 'hidden'
  return rules.length === 0 ? action : `${action}, ${plural(rules.length, 'rule')}`
}

/** What is written for models goes on with details. */
const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/.exec(text.trim())?.[0] ?? text.trim().split('\n', 1)[0]!
