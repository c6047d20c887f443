// What a project's file may do before it is trusted: deny, ask, and lower limits. All else is left out, and told.
import { printable, quoted } from '../base/text.ts'
import { overlap } from '../base/wildcard.ts'
import type { PermissionRule } from '../supervise/contract.ts'
import { noSettings } from './parse.ts'
import type { Profile, ServerSpec, Settings, SourcedRule } from './shape.ts'

const limits = ['maxCost', 'maxTurns', 'timeoutMs'] as const

/** `before`: all that counts without the file. */
export function tighten(file: Settings, before: Settings, home: string): { kept: Settings; leftOut: string[] } {
  const denied = before.rules.filter(({ action }) => action === 'deny')
  const meets = comparer(home)
  const keeps = (rule: SourcedRule): boolean =>
    rule.action === 'deny' || (rule.action === 'ask' && !denied.some((deny) => meets(rule, deny)))
  const lower = limits.filter((key) => file[key] !== undefined && file[key] <= (before[key] ?? Infinity))
  const rules = new Set(file.rules.filter(keeps))
  const kept = { ...noSettings, rules: [...rules], ...Object.fromEntries(lower.map((key) => [key, file[key]])) }
  const higher = Object.fromEntries(limits.filter((key) => !lower.includes(key) && file[key] !== undefined).map((key) => [key, file[key]]))
  const { maxCost: _, maxTurns: __, timeoutMs: ___, ...rest } = file
  return { kept, leftOut: wishesOf({ ...rest, ...higher, rules: file.rules.filter((rule) => !rules.has(rule)) }) }
}

const mostSteps = 20_000_000

/** An `ask` after a `deny` of the same thing would loosen it. Past so many steps the answer is the careful one: a file may be hostile. */
function comparer(home: string): (a: PermissionRule, b: PermissionRule) => boolean {
  let steps = 0
  const meet = (a: string, b: string): boolean => (steps += a.length * b.length) > mostSteps || overlap(a, b)
  return (a, b) => meet(a.permission, b.permission) && meet(expanded(a.pattern, home), expanded(b.pattern, home))
}

const expanded = (pattern: string, home: string): string => pattern.replace(/^(~|\$HOME)(?=\/|$)/, () => home)

/** One line for each thing that a file wants beyond tightening. It is somebody else's text, so it is made harmless. */
export function wishesOf(settings: Settings): string[] {
  const { model, profile, tools, historyLimit, maxCost, maxTurns, timeoutMs } = settings
  const names = (list: readonly string[]): string => list.map((name) => printable(name)).join(', ')
  return [
    ...settings.rules.map(({ permission, pattern, action }) => `permission ${printable(permission)}: ${quoted(pattern, 200)} = ${action}`),
    ...Object.entries(settings.mcp).map(([name, server]) => `MCP server ${name}: ${serverText(server)}`),
    ...Object.entries(settings.providers).map(([name, { baseUrl, keyEnv }]) => {
      const key = keyEnv === undefined ? '' : ` with the key in ${keyEnv}`
      return `provider ${name}: ${quoted(baseUrl, 200)}${key}`
    }),
    ...settings.profiles.map((own) => `profile ${own.name}: ${profileText(own)}`),
    ...(model === undefined ? [] : [`model ${printable(model)}`]),
    ...(profile === undefined ? [] : [`the profile ${printable(profile)} by default`]),
    ...(tools === undefined ? [] : [`tools under --strict: ${names(tools)}`]),
    ...(settings.env.length === 0 ? [] : [`variables for tools: ${names(settings.env)}`]),
    ...(settings.redact.length === 0 ? [] : [`redaction of ${settings.redact.map((pattern) => quoted(pattern, 200)).join(', ')}`]),
    ...settings.instructions.map((path) => `instructions ${quoted(path, 200)}`),
    ...(historyLimit === undefined ? [] : [`historyLimit ${historyLimit}`]),
    ...(maxCost === undefined ? [] : [`maxCost ${maxCost}`]),
    ...(maxTurns === undefined ? [] : [`maxTurns ${maxTurns}`]),
    ...(timeoutMs === undefined ? [] : [`timeout ${timeoutMs / 1000}s`]),
  ]
}

function serverText(server: ServerSpec): string {
  const [does, values] =
    'command' in server
      ? [`runs ${quoted(server.command.join(' '), 400)}`, { ...server.environment }]
      : [`talks to ${quoted(server.url, 400)}`, { ...server.headers }]
  const cwd = 'cwd' in server && server.cwd !== undefined ? [`in ${quoted(server.cwd, 200)}`] : []
  const set = Object.entries(values).map(([name, value]) => `${printable(name)}=${quoted(value, 200)}`)
  return [does, ...cwd, ...(set.length === 0 ? [] : [`with ${set.join(', ')}`])].join(' ')
}

export function profileText({ description, prompt, model, rules, tools }: Profile): string {
  const looser = rules
    .filter(({ action }) => action !== 'deny')
    .map(({ permission, pattern, action }) => `${permission}:${pattern}=${action}`)
  return [
    quoted(description, 200),
    ...(model === undefined ? [] : [`model ${printable(model)}`]),
    ...(tools === undefined ? [] : [`tools ${tools.map((name) => printable(name)).join(', ')}`]),
    ...looser.map((rule) => quoted(rule, 200)),
    ...(prompt === undefined ? [] : [`prompt ${quoted(prompt, 400)}`]),
  ].join('; ')
}
