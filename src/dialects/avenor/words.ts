// Avenor's words and ours, both ways: reasons, tools, options, sources, tokens.
import type { Fault, Option, Usage } from '../../model/event.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import { contextTokens, outputTokens, totalTokens } from '../../model/usage.ts'
import type { Decider, Decision, Phase, Reason, ToolKind } from '../../model/vocabulary.ts'
import { phases, reasons } from '../../model/vocabulary.ts'
import type { Wire, WireOption } from './wire.ts'

// ── reasons ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const own: ReadonlySet<string> = new Set(reasons)
const readReasons: ReadonlyMap<string, Reason> = new Map([
  ['degenerate_reasoning_stream', 'degenerate'],
  ['max_turn_requests', 'max_turns'],
  ['progress_timeout', 'stall'],
  ['marker', 'exit'],
  ['canceled', 'cancelled'],
  ['failed', 'error'],
  ['failure', 'error'],
])

/** A word that nobody knows is `unknown`: the session ended, and not well as far as we can tell. */
export const reasonOf = (word: string | undefined): Reason =>
  word === undefined ? 'unknown' : (readReasons.get(word) ?? (own.has(word) ? (word as Reason) : 'unknown'))

/** Only its own dialect can say it again. */
export const isUnknownReason = (word: string | undefined): word is string =>
  word !== undefined && word !== 'unknown' && reasonOf(word) === 'unknown'

const stopReasons: Record<Reason, string> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
  cancelled: 'cancelled',
  cancelled_forced: 'cancelled_forced',
  timeout: 'timeout',
  stall: 'progress_timeout',
  blocked: 'blocked',
  degenerate: 'degenerate_reasoning_stream',
  max_turns: 'max_turn_requests',
  abort: 'blocked',
  exit: 'end_turn',
  max_iterations: 'end_turn',
  error: 'error',
  cut: 'error',
  budget: 'error',
  context: 'error',
  phase_failure: 'error',
  unknown: 'error',
}
/** Why a session or a phase stopped. */
export const stopReasonOf = (reason: Reason): string => stopReasons[reason]

const exitReasons: ReadonlyMap<Reason, string> = new Map([
  ['end_turn', 'end_turn'],
  ['stop_sequence', 'end_turn'],
  ['abort', 'abort'],
  ['blocked', 'abort'],
  ['exit', 'exit'],
  ['max_iterations', 'max_iterations'],
  ['timeout', 'timeout'],
  ['stall', 'timeout'],
  ['cancelled', 'cancelled'],
  ['cancelled_forced', 'cancelled'],
])
/** Why a loop stopped. */
export const exitReasonOf = (reason: Reason): string => exitReasons.get(reason) ?? 'phase_failure'

/** The part of Avenor that an error comes from. The name of an agent, or of nothing that Avenor has, is its backend. */
export const subsystemOf = (source: string | undefined, { category }: Fault): string =>
  source !== undefined && subsystems.has(source) ? source : category === 'cancelled' ? 'cancel' : 'backend'

const subsystems: ReadonlySet<string> = new Set(['permission', 'cancel', 'timeout', 'backend', 'loop', 'control', 'retry'])
const endSources: Partial<Record<Reason, string>> = {
  cancelled: 'cancel',
  cancelled_forced: 'cancel',
  timeout: 'timeout',
  stall: 'timeout',
  budget: 'loop',
  max_turns: 'loop',
  blocked: 'loop',
  abort: 'loop',
  degenerate: 'loop',
}
/** The same of an end that says itself what went wrong. */
export const sourceOfEnd = (reason: Reason): string => endSources[reason] ?? 'backend'

/** What Avenor calls the program that it drives. */
export const backendOf = (program: string): string => (program === 'claude-code' ? 'claude' : program)

export const degenerate = 'degenerate_reasoning_stream'

// ── tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const kindWords: ReadonlySet<string> = new Set(['bash', 'read', 'write', 'edit', 'search', 'fetch', 'task', 'commit', 'other'])
const wordOfKind: Partial<Record<ToolKind, string>> = {
  execute: 'bash',
  read: 'read',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  search: 'search',
  fetch: 'fetch',
  task: 'task',
}

/** The document's word for a tool: the tool's own name where that is one of them, so that write and edit stay apart. */
export function kindWordOf(name: string | undefined, kind: ToolKind | undefined): string {
  const lower = name?.toLowerCase()
  if (lower !== undefined && kindWords.has(lower)) return lower
  if (kind === 'edit' && lower !== undefined && (lower === 'write_file' || lower === 'create')) return 'write'
  return (kind === undefined ? undefined : wordOfKind[kind]) ?? 'other'
}

/**
 * Avenor tells a title for people and a word for the sort of tool, not the tool's name. The title is taken for the name if it
 * is that of a tool we know, or if no word says more; else the word is the name.
 */
export function toolOf(
  title: string | null | undefined,
  word: string | null | undefined,
): { name: string; toolKind: ToolKind; title: string | undefined } {
  const label = title ?? ''
  const sort = word === 'other' ? '' : (word ?? '')
  // Whatever its title: only the name can keep this word, which makes the call a milestone.
  const name =
    sort.toLowerCase() === 'commit' ? sort : label !== '' && (sort === '' || toolKindOf(label) !== 'other') ? label : sort || (word ?? '')
  return { name, toolKind: toolKindOfWord(sort) ?? toolKindOf(name), title: label === name || label === '' ? undefined : label }
}

export function toolKindOfWord(word: string | null | undefined): ToolKind | undefined {
  const kind = toolKindOf(word ?? '')
  return kind === 'other' ? undefined : kind
}

// ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const optionKinds: ReadonlyMap<string, Option['kind']> = new Map([
  ['allow', 'allow_once'],
  ['allow_once', 'allow_once'],
  ['allow_session', 'allow_session'],
  ['allow_always', 'allow_always'],
  ['reject', 'reject_once'],
  ['reject_once', 'reject_once'],
  ['reject_always', 'reject_always'],
  ['cancel', 'cancel'],
  ['cancelled', 'cancel'],
  ['canceled', 'cancel'],
  ['deny', 'reject_once'],
  ['deny_once', 'reject_once'],
  ['deny_always', 'reject_always'],
  ['yes', 'allow_once'],
  ['no', 'reject_once'],
])
const kindOfWord = (word: string | undefined): Option['kind'] | undefined =>
  word === undefined ? undefined : optionKinds.get(word.trim().toLowerCase())

/** A dialog read off a terminal says only "Yes", "Yes, and don't ask again", "No, and tell …". */
function kindOfLabel(label: string | undefined): Option['kind'] | undefined {
  const first = /^[a-z]+/.exec(label?.trim().toLowerCase() ?? '')?.[0]
  const kind = kindOfWord(first)
  return kind === 'allow_once' && /\bagain\b|\balways\b/i.test(label!) ? 'allow_always' : kind
}

/** What nobody can tell counts as a no: a policy that looks for an allow must not find one by guess. */
export function optionOf(wire: WireOption | string): Option {
  if (typeof wire === 'string') return { id: wire, kind: kindOfWord(wire) ?? 'reject_once' }
  const label = wire.name ?? wire.label
  const id = wire.optionId ?? wire.id ?? label ?? ''
  return {
    id,
    kind: kindOfWord(wire.kind) ?? kindOfWord(id) ?? kindOfLabel(label) ?? 'reject_once',
    label,
    needsText: wire.requiresMessage,
  }
}

export const answerWordOf = (kind: Option['kind']): 'allow' | 'reject' => (kind.startsWith('allow') ? 'allow' : 'reject')

/**
 * By the answer's own word, else by what was offered under that id. What nobody can tell is a no, save for one: auto-approve that found
 * nothing to choose leaves both words empty, and still means yes.
 */
export function decisionOf({ kind, option_id: option, source }: Wire<'permission.response'>, offered: readonly Option[]): Decision {
  if (!kind && !option) return source === 'avenor' ? 'allow' : 'reject'
  const word = kindOfWord(kind ?? undefined) ?? offered.find(({ id }) => id === option)?.kind ?? kindOfWord(option ?? undefined)
  return word !== undefined && answerWordOf(word) === 'allow' ? 'allow' : 'reject'
}

const deciderOfSource: ReadonlyMap<string, Decider> = new Map([
  ['avenor', 'policy'],
  ['control', 'control'],
  ['file', 'file'],
])
export const isUnknownSource = (source: string | null | undefined): source is string => !!source && !deciderOfSource.has(source)
export const deciderOf = (source: string | null | undefined): Decider => deciderOfSource.get(source ?? '') ?? 'unknown'

const people: ReadonlySet<Decider> = new Set<Decider>(['user', 'host', 'control', 'terminal'])
export const sourceOfDecider = (by: Decider): string => (by === 'file' ? 'file' : people.has(by) ? 'control' : 'avenor')

/** The dialog of an agent in a terminal, found on its screen. */
export const isOnScreen = (source: string | null | undefined): boolean => source === 'pty' || source === 'tmux'

// ── status ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const knownPhases: ReadonlySet<string> = new Set(phases)
/** A report's state may stand here too; `started` is the only one of them that is a phase. */
export const phaseOf = (word: string): Phase | undefined =>
  word === 'started' ? 'starting' : knownPhases.has(word) ? (word as Phase) : undefined

const statusSources: ReadonlySet<string> = new Set(['avenor', 'agent', 'transcript', 'tmux', 'pty', 'channel', 'sidecar'])
/** Only a status of Avenor's own making promises what comes next; everything else is what the agent says of itself. */
export const statusSourceOf = (source: string | undefined): string =>
  source === 'supervisor' ? 'avenor' : source === 'terminal' ? 'pty' : source !== undefined && statusSources.has(source) ? source : 'agent'

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

type WireUsage = NonNullable<Wire<'session.end'>['usage']>

/** Cached tokens are part of the input, unless the total says that they were counted beside it. */
export function usageOf({ input_tokens: input, output_tokens: output, total_tokens: total, cached_read_tokens: cached }: WireUsage): Usage {
  const apart = total !== undefined && total === (input ?? 0) + (output ?? 0) + (cached ?? 0)
  return {
    input: whole(input === undefined || apart ? input : input - (cached ?? 0)),
    output: whole(output),
    cacheRead: whole(cached),
  }
}
const whole = (tokens: number | undefined): number | undefined => (tokens === undefined ? undefined : Math.max(0, Math.trunc(tokens)))

export function wireUsageOf(usage: Usage): WireUsage | undefined {
  const { input, output, reasoning, cacheRead, cacheWrite } = usage
  const hasInput = input !== undefined || cacheRead !== undefined || cacheWrite !== undefined
  const hasOutput = output !== undefined || reasoning !== undefined
  if (!hasInput && !hasOutput) return undefined
  return {
    input_tokens: hasInput ? contextTokens(usage) : undefined,
    output_tokens: hasOutput ? outputTokens(usage) : undefined,
    total_tokens: totalTokens(usage),
    cached_read_tokens: cacheRead,
  }
}
