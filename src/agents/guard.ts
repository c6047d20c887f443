// How a rule or gate is made to hold for another program: the program is put into a mode in which it must ask, or into a sandbox. Where no
// such mode is known, the option is refused before anything starts.
import type { PermissionRule } from '../supervise/contract.ts'
import type { AgentRequest } from './driver.ts'

/** `read-only`: nothing may be changed. `asking`: every call that a rule may be about is asked for. */
export type Guard = 'read-only' | 'asking'

type Gates = { readOnly?: boolean; dryRun?: boolean; strict?: boolean }

export function guardOf({ readOnly, dryRun, strict }: Gates, rules: readonly PermissionRule[]): Guard | undefined {
  if (readOnly === true || dryRun === true) return 'read-only'
  return strict === true || rules.some(({ action }) => action === 'deny') ? 'asking' : undefined
}

type Known = {
  /** The mode in which it asks, where one must be named. */
  mode?: string
  /** Modes of its own in which it asks as well, or may change nothing. Absent: all of them. */
  modes?: RegExp
  /** Variables that would let it act unasked. */
  without?: RegExp
  /** Every call can be refused, also one that only reads. */
  asksAll?: true
  /** Where nothing may be changed, its commands run in a sandbox of its own that lets them change nothing. */
  sandbox?: true
}

/** By the program's name, for `--agent NAME` and for `acp:COMMAND` alike. */
const known: Readonly<Record<string, Known>> = {
  builtin: { asksAll: true },
  claude: { asksAll: true }, // a hook sees every call, whatever the mode
  codex: { modes: /^(read-only|untrusted|read-only\+untrusted|untrusted\+read-only)$/, sandbox: true },
  gemini: { mode: 'default', modes: /^(default|plan)$/ },
  opencode: { modes: /^(build|plan)$/, asksAll: true },
  copilot: { modes: /^(?!.*autopilot)/i, without: /^COPILOT_ALLOW_ALL$/ },
  'codex-acp': { mode: 'read-only', modes: /^read-only$/, sandbox: true },
  'claude-agent-acp': { mode: 'default', modes: /^(default|plan|dontAsk)$/ },
  'claude-code-acp': { mode: 'default', modes: /^(default|plan|dontAsk)$/ },
}

/** Why the option cannot be enforced for this program, and what would work. Undefined: it can. */
export function unenforced(program: string, mode: string | undefined, isStrict: boolean): string | undefined {
  const one = Object.hasOwn(known, program) ? known[program]! : undefined
  if (one === undefined) return `no mode is known in which it must ask; use one of ${Object.keys(known).join(', ')}`
  if (isStrict && one.asksAll !== true)
    return `it makes some calls without asking; use one of ${Object.keys(known)
      .filter((name) => known[name]!.asksAll === true)
      .join(', ')}`
  if (mode !== undefined && one.modes !== undefined && !one.modes.test(mode))
    return `in its mode "${mode}" it may act without asking; leave out --agent-mode`
  return undefined
}

/** A command that it runs without asking is held by its sandbox. */
export const isSandboxed = (program: string): boolean => Object.hasOwn(known, program) && known[program]!.sandbox === true

/** The request with what makes the program ask. */
export function guardedRequest(program: string, request: AgentRequest): AgentRequest {
  const one = request.guard === undefined || !Object.hasOwn(known, program) ? undefined : known[program]
  if (one === undefined) return request
  const { without } = one
  const env = without === undefined ? request.env : Object.fromEntries(Object.entries(request.env).filter(([name]) => !without.test(name)))
  const mode = request.mode ?? one.mode
  return { ...request, env, ...(mode !== undefined && { mode }) }
}
