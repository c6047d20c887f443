// Claude's words for what an agent may do, as rules of ours: lists of tools such as `Bash(ls:*)` and `Edit(src/**)`, and permission modes.
import { join, relative, resolve } from 'node:path'
import type { Places } from '../../config/places.ts'
import type { Action, PermissionRule } from '../../supervise/contract.ts'
import { defaultRules } from '../../supervise/rules.ts'

/** A rule about a tool that edits files is one about all that do. */
const permissions: Readonly<Record<string, readonly string[]>> = {
  edit: ['edit', 'write'],
  multiedit: ['edit', 'write'],
  notebookedit: ['edit'],
  ls: ['read'],
  agent: ['task'],
  slashcommand: ['skill'],
}
const takesPath: ReadonlySet<string> = new Set(['read', 'edit', 'write'])

/** Tools as one names them on a command line: separated by commas or spaces, but not within parentheses. */
export function splitTools(text: string): string[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const char = text[at]
    if (char === '(') depth++
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (char === undefined || (depth === 0 && /[\s,]/.test(char))) {
      if (at > start) found.push(text.slice(start, at))
      start = at + 1
    }
  }
  return found
}

/** The names that our tools and permissions have for one of Claude's; a tool of an MCP server is `server_tool` here. */
export function permissionsOf(tool: string): readonly string[] {
  const [, server, name] = /^mcp__(.+?)(?:__(.+))?$/.exec(tool) ?? []
  if (server !== undefined) return [`${sanitise(server)}_${name === undefined ? '*' : sanitise(name)}`]
  const plain = tool.toLowerCase()
  return permissions[plain] ?? [plain]
}

const sanitise = (name: string): string => name.replace(/[^A-Za-z0-9_*-]/g, '_')

export type Ground = Pick<Places, 'cwd' | 'root'>

/** `Bash(git log:*)` → `bash:git log *`. */
export function toolRules(text: string, action: Action, ground: Ground): PermissionRule[] {
  const [, tool = text, content] = /^([^()]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? []
  return permissionsOf(tool).flatMap((permission) =>
    patternsOf(permission, content ?? '*', ground).map((pattern) => ({ permission, pattern, action })),
  )
}

function patternsOf(permission: string, content: string, ground: Ground): string[] {
  if (content === '' || content === '*' || content === '**') return ['*']
  if (permission === 'bash') return [content.replace(/:\*$/, ' *')]
  if (permission === 'webfetch') {
    const host = /^domain:(.+)$/.exec(content)?.[1]
    return host === undefined ? [content] : ['http', 'https'].flatMap((scheme) => [`${scheme}://${host}`, `${scheme}://${host}/*`])
  }
  return takesPath.has(permission) ? pathPatterns(content, ground) : [content]
}

/** As .gitignore reads them: without a slash at any depth, and a folder with all that is in it. Our star passes slashes. */
function pathPatterns(content: string, { cwd, root }: Ground): string[] {
  const anywhere = /^(?:\*\*\/)?([^/]+)$/.exec(content)?.[1]
  const starts = anywhere !== undefined ? [anywhere, `**/${anywhere}`] : [content.replace(/\/+$/, '')]
  return starts.flatMap((start) => {
    const pattern = anchored(start, cwd, root).replaceAll(/\*+/g, '*')
    return pattern.endsWith('*') ? [pattern] : [pattern, `${pattern}/*`]
  })
}

function anchored(path: string, cwd: string, root: string): string {
  if (path.startsWith('//')) return path.slice(1)
  if (path.startsWith('~/') || path.startsWith('**')) return path
  const whole = path.startsWith('/') ? join(root, path) : resolve(cwd, path)
  const inside = relative(root, whole)
  return inside === '' || inside.startsWith('..') ? whole : inside
}

// ── modes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const modes = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'] as const
export type Mode = (typeof modes)[number]
export const isMode = (word: unknown): word is Mode => (modes as readonly unknown[]).includes(word)

const rule = (permission: string, action: Action): PermissionRule => ({ permission, pattern: '*', action })
const opened: Partial<Record<Mode, readonly PermissionRule[]>> = {
  acceptEdits: [rule('edit', 'allow'), rule('write', 'allow')],
  bypassPermissions: [rule('*', 'allow')],
}
const closed: Partial<Record<Mode, readonly PermissionRule[]>> = {
  plan: [rule('edit', 'deny'), rule('write', 'deny'), rule('bash', 'deny')],
}

/** What a mode opens counts less than any rule that somebody has written; what it closes, more. */
export function withMode(rules: readonly PermissionRule[], mode: Mode): readonly PermissionRule[] {
  const own = rules.lastIndexOf(defaultRules.at(-1)!) + 1
  const all = [...rules.slice(0, own), ...(opened[mode] ?? []), ...rules.slice(own), ...(closed[mode] ?? [])]
  return mode === 'dontAsk' ? all.map((one) => (one.action === 'ask' ? { ...one, action: 'deny' } : one)) : all
}
