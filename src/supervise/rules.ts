// Permission rules: lists of wildcards in which the last match wins. Matching takes no regular expression, so no pattern can stall it.
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { glob, overlap } from '../base/wildcard.ts'
import type { Action, PermissionRule } from './contract.ts'
import { isSurelyNamed, mayBeNamed } from './tool-names.ts'

const actions: readonly Action[] = ['allow', 'ask', 'deny']

export type Judgement = { action: Action; rule?: PermissionRule }

const rule = (permission: string, action: Action): PermissionRule => ({ permission, pattern: '*', action })

/** Everything asks, MCP tools too, but what only looks at the project or at the conversation. */
export const defaultRules: readonly PermissionRule[] = [
  rule('*', 'ask'),
  ...['read', 'glob', 'grep', 'skill', 'todowrite', 'task'].map((name) => rule(name, 'allow')),
  ...['bash', 'write', 'edit', 'webfetch', 'external_directory', 'secret_file'].map((name) => rule(name, 'ask')),
]

/** `*` is any run of characters, `?` one; the rest is literal. A last ` *` may be missing: `ls *` is `ls` too, but not `lsof`. */
export function matches(pattern: string, text: string, home?: string): boolean {
  const whole = home === undefined ? pattern : expandHome(pattern, home)
  return glob(whole, text) || (whole.endsWith(' *') && glob(whole.slice(0, -2), text))
}

/** Names of permissions are the same in small and large letters: `Bash=deny` denies what `bash=allow` allows. */
export const isAbout = (rule: Pick<PermissionRule, 'permission' | 'action'>, permission: string): boolean =>
  matches(rule.permission.toLowerCase(), permission.toLowerCase()) ||
  (rule.action === 'allow' ? isSurelyNamed(rule.permission, permission) : mayBeNamed(rule.permission, permission))

function expandHome(pattern: string, home: string): string {
  for (const start of ['~', '$HOME']) {
    if (pattern === start || pattern.startsWith(`${start}/`)) return home + pattern.slice(start.length)
  }
  return pattern
}

/** The last rule that matches says it; what no rule matches is asked. Several spellings of one thing: a match of any counts. */
export function judge(rules: readonly PermissionRule[], permission: string, pattern: string | readonly string[], home?: string): Judgement {
  const spellings = typeof pattern === 'string' ? [pattern] : pattern
  const found = rules.findLast((rule) => isAbout(rule, permission) && spellings.some((spelling) => matches(rule.pattern, spelling, home)))
  return found === undefined ? { action: 'ask' } : { action: found.action, rule: found }
}

/**
 * Of something that is not wholly known, `reach` being the pattern of all that it may be: an allow does not hold when a later rule
 * could say otherwise.
 */
export function judgeReach(rules: readonly PermissionRule[], permission: string, text: string, reach: string): Judgement {
  const said = judge(rules, permission, text)
  if (said.action !== 'allow') return said
  const doubt = rules
    .slice(rules.indexOf(said.rule!) + 1)
    .findLast((rule) => rule.action !== 'allow' && isAbout(rule, permission) && overlap(rule.pattern, reach))
  return doubt === undefined ? said : { action: 'ask', rule: doubt }
}

/** Of a command that a wildcard does not cover: a rule for everything can allow it, or one that is this very text. */
export function judgeDoubted(rules: readonly PermissionRule[], permission: string, text: string): Judgement {
  const isCovering = ({ pattern, action }: PermissionRule): boolean => action !== 'allow' || pattern === '*' || isExactly(pattern, text)
  const said = judge(rules.filter(isCovering), permission, text)
  return said.rule?.pattern === '*' ? judgeUnknown(rules, permission, text) : said
}

/** What is left to ask about is allowed by a later rule that is the whole line. */
export function judgeLine(rules: readonly PermissionRule[], permission: string, line: string, said: Judgement): Judgement {
  const at = rules.findLastIndex((rule) => isAbout(rule, permission) && isExactly(rule.pattern, line))
  const isLater = said.rule === undefined || at > rules.indexOf(said.rule)
  return said.action === 'ask' && isLater && rules[at]?.action === 'allow' ? { action: 'allow', rule: rules[at] } : said
}

const isExactly = (pattern: string, text: string): boolean => pattern === text && !/[*?]/.test(text)

/** Of something of which nothing is known: only a rule for everything can allow it. */
export function judgeUnknown(rules: readonly PermissionRule[], permission: string, text: string): Judgement {
  return judgeReach(
    rules.filter((rule) => rule.action !== 'allow' || rule.pattern === '*'),
    permission,
    text,
    '*',
  )
}

/** A tool that is denied whatever it is given is not offered to the model. */
export const toolHidden = (rules: readonly PermissionRule[], permission: string): boolean => {
  const last = rules.findLast((rule) => isAbout(rule, permission))
  return last?.pattern === '*' && last.action === 'deny'
}

/** `PERMISSION[:PATTERN]=allow|ask|deny`: the permission ends at the first colon, the action begins after the last equals sign. */
export function parseRule(text: string): PermissionRule {
  const equals = text.lastIndexOf('=')
  const action = text.slice(equals + 1).trim()
  const subject = equals < 0 ? text : text.slice(0, equals)
  const colon = subject.indexOf(':')
  const permission = (colon < 0 ? subject : subject.slice(0, colon)).trim()
  const pattern = colon < 0 ? '*' : subject.slice(colon + 1).trim()
  const example = `write PERMISSION[:PATTERN]=allow|ask|deny, for example 'bash:git *=allow'`
  if (equals < 0) throw new Error(`the rule ${quoted(text)} says no action: ${example}`)
  if (!isAction(action)) {
    const near = nearest(action, actions)
    throw new Error(
      `the rule ${quoted(text)} has the unknown action ${quoted(action)}; ${near === undefined ? example : `did you mean ${near}?`}`,
    )
  }
  if (permission === '') throw new Error(`the rule ${quoted(text)} names no permission: ${example}`)
  if (pattern === '') throw new Error(`the rule ${quoted(text)} has an empty pattern: leave out the colon, or ${example}`)
  return { permission, pattern, action }
}

export const formatRule = ({ permission, pattern, action }: PermissionRule): string =>
  pattern === '*' ? `${permission}=${action}` : `${permission}:${pattern}=${action}`

const isAction = (word: string): word is Action => (actions as readonly string[]).includes(word)
