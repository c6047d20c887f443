// The frame of a turn: the init before it and the result after it, in the shapes of the document.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Event, EventOf, Fault, Payload, Usage } from '../../model/event.ts'
import { outcomeOf } from '../../model/outcome.ts'
import { addUsage, totalTokens, usageSince } from '../../model/usage.ts'
import type { FaultCategory, Reason } from '../../model/vocabulary.ts'
import { closeMessage } from './encode-message.ts'
import { type ModelTotal, newTurn, write, type Writer, type WriteSession } from './encode-state.ts'
import { abandonCalls } from './encode-tool.ts'
import { modelKeys, usageKeys, usual } from './encode-usage.ts'
import { faultFrom, nat, usd } from './values.ts'

// ── init ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function writeInit(on: Writer, at: number | undefined, synthetic: string | undefined, event?: Event): void {
  const { session, sink } = on
  const { setting, catalog } = session
  if (setting.cwd === undefined) sink.added('system/init.cwd')
  if (setting.model === undefined) sink.added('system/init.model')
  if (setting.mode === undefined) sink.added('system/init.permissionMode')
  if (catalog.tools === undefined) sink.added('system/init.tools')
  const record: Rec = {
    type: 'system',
    subtype: 'init',
    cwd: setting.cwd ?? '',
    tools: (catalog.tools ?? []).map(({ name }) => name),
    mcp_servers: serversOf(catalog),
    model: setting.model ?? 'unknown',
    permissionMode: setting.mode ?? 'default',
    slash_commands: names(catalog.commands),
    agents: names(catalog.agents),
    skills: names(catalog.skills),
    plugins: (catalog.plugins ?? []).map(({ name, path }) => ({ name, path: path ?? '' })),
  }
  if (isClaudeCode(on) && setting.version !== undefined) record['claude_code_version'] = setting.version
  write(on, record, synthetic, event)
  session.inits++
  if (session.untold.length > 0) session.untold = []
  session.openTurns++
  if (session.openTurns === 1) session.turn = newTurn(at)
}

export const isClaudeCode = ({ session }: Writer): boolean => session.setting.program === 'claude-code'

/** An init says which version of Claude Code it is of, and cannot be of another program. */
export function loseProgram(on: Writer, event: EventOf<'session.start' | 'session.update'>): void {
  if (event.synthetic !== undefined || isClaudeCode(on)) return
  if (event.program !== undefined) on.sink.lost(event, 'program')
  if (event.version !== undefined) on.sink.lost(event, 'version')
}

/** A server whose tools are there is connected, also when nobody says so. */
function serversOf({ servers, tools }: Payload<'catalog.update'>): Rec[] {
  if (servers !== undefined) return servers.map(({ name, status }) => ({ name, status }))
  const found = new Set((tools ?? []).flatMap(({ server }) => (server === undefined ? [] : [server])))
  return [...found].map((name) => ({ name, status: 'connected' }))
}

const names = (list: readonly { name: string }[] | undefined): string[] => (list ?? []).map(({ name }) => name)

// ── result ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What is known of the turn's end: from turn.end, from session.end, or nothing but that the stream is over. */
export type TurnEnd = Partial<Payload<'turn.end'>> & { reason: Reason; at?: number | undefined; ext?: Event['ext'] }

/**
 * Ends the oldest open turn. Without one it is a lone result: a session that failed before it could begin.
 * False when of which sort its error is cannot be read from it.
 */
export function writeResult(on: Writer, event: TurnEnd, synthetic: string | undefined, told?: EventOf<'turn.end'>): boolean {
  const { session, sink } = on
  const { turn } = session
  const isCalling = session.calls.size > 0
  if (session.openTurns <= 1) abandonCalls(on)
  closeMessage(on, undefined, event.reason, undefined)
  const took =
    event.durationMs ?? (event.at !== undefined && turn.startedAt !== undefined ? Math.max(0, event.at - turn.startedAt) : undefined)
  if (took === undefined) sink.added('result.duration_ms')
  if (event.apiMs === undefined) sink.added('result.duration_api_ms')
  const own = event.own ?? event.usage ?? turn.usage
  if (own === undefined) sink.added('result.usage')
  const used = event.usage ?? sumOf(turn.byModel) ?? own
  if (used !== undefined) session.told = addUsage(session.told, used)
  count(session, event)
  const text = event.text ?? turn.text ?? ''
  const fault = event.error ?? turn.fault
  const ending = endingOf(event.reason, fault?.text, isCalling)
  write(
    on,
    {
      type: 'result',
      subtype: ending.subtype,
      is_error: ending.isError,
      duration_ms: took ?? 0,
      duration_api_ms: event.apiMs ?? 0,
      num_turns: event.steps ?? turn.steps,
      ...(ending.errors === undefined ? { result: ending.isError ? fault?.text || text : text } : { errors: ending.errors }),
      stop_reason: ending.stop,
      total_cost_usd: usd(session.totals.usd),
      usage: usageKeys(own ?? {}, { server_tool_use: turn.served, ...usual(told), ...kept(event, 'usage') }),
      modelUsage: Object.fromEntries([...session.totals.models].map(([model, total]) => [model, modelKeys(total)])),
      permission_denials: denials(session, event),
      ...(event.data === undefined ? {} : { structured_output: event.data }),
      ...(ending.terminal === undefined ? {} : { terminal_reason: ending.terminal }),
      ...(fault === undefined || !ending.isError ? {} : causeKeys(fault)),
      result_index: session.results++,
    },
    synthetic,
    told,
  )
  session.openTurns = Math.max(0, session.openTurns - 1)
  session.lastReason = event.reason
  session.turn = newTurn(event.at)
  return fault === undefined || !ending.isError || isSorted(fault, event.reason, ending)
}

/** What Claude's own results count beside tokens; see the decoder's `beside`. */
function kept({ ext }: TurnEnd, key: 'usage' | 'modelUsage'): Rec | undefined {
  const own = ext?.['claude']
  const found = isRecord(own) ? own[key] : undefined
  return isRecord(found) ? found : undefined
}

type Ending = {
  subtype: string
  isError: boolean
  stop: string | null
  terminal: string | undefined
  errors: string[] | undefined
}

/** The status says the category; where there is none, the program's own word does. */
function causeKeys({ http, category }: Fault): { api_error_status?: number; api_error?: string; api_error_type?: string } {
  if (http !== undefined) return { api_error_status: http }
  const type = errorTypes[category]
  return category === 'network' ? { api_error: 'connection_failed' } : type === undefined ? {} : { api_error_type: type }
}

function isSorted(fault: Fault, reason: Reason, { terminal }: Ending): boolean {
  const { category, text } = fault
  if (category === 'unknown') return true
  if (outcomeOf(reason) === 'cancelled') return category === 'cancelled'
  const { api_error_status: status, api_error: code, api_error_type: type } = causeKeys(fault)
  return faultFrom(text, { status, code, type, terminal }).category === category
}

const errorTypes: Partial<Record<FaultCategory, string>> = {
  rate_limit: 'rate_limit_error',
  auth: 'authentication_error',
  overloaded: 'overloaded_error',
  billing: 'billing_error',
  invalid: 'invalid_request_error',
  provider: 'api_error',
  timeout: 'timeout_error',
}

/** Reasons that a result can tell; all others become an error, or a success. */
export const saidReasons: ReadonlySet<Reason> = new Set<Reason>([
  'end_turn',
  'stop_sequence',
  'max_turns',
  'budget',
  'cancelled',
  'context',
  'refusal',
  'max_tokens',
  'error',
])

/** An error subtype carries errors and no result text: what went wrong, never what the agent said. */
function endingOf(reason: Reason, text: string | undefined, isCalling: boolean): Ending {
  const failed = (subtype: string, terminal: string | undefined, stop: string | null = null): Ending => ({
    subtype,
    isError: true,
    stop,
    terminal,
    errors: [text || reason.replaceAll('_', ' ')],
  })
  switch (reason) {
    case 'max_turns':
      return failed('error_max_turns', 'max_turns')
    case 'budget':
      return failed('error_max_budget_usd', 'budget_exhausted')
    case 'cancelled':
    case 'cancelled_forced':
      return failed('error_during_execution', isCalling ? 'aborted_tools' : 'aborted_streaming')
    case 'context':
      return failed('error_during_execution', 'prompt_too_long')
    case 'refusal':
      return failed('error_during_execution', 'api_error', 'refusal')
    case 'max_tokens':
      return failed('error_during_execution', undefined, 'max_tokens')
    case 'stop_sequence':
      return { subtype: 'success', isError: false, stop: 'stop_sequence', terminal: 'completed', errors: undefined }
    default:
      if (outcomeOf(reason) !== 'ok') return failed('error_during_execution', undefined)
      return { subtype: 'success', isError: false, stop: 'end_turn', terminal: 'completed', errors: undefined }
  }
}

const sumOf = (models: ReadonlyMap<string, ModelTotal>): Usage | undefined =>
  [...models.values()].reduce<Usage | undefined>((sum, { usage }) => addUsage(sum, usage), undefined)

/** Of what a session has used in all: what its results have not told. */
export function restOf({ told, totals }: WriteSession, { usage, cost }: Pick<Payload<'session.end'>, 'usage' | 'cost'>): Sums {
  const rest = usage === undefined || told === undefined ? usage : usageSince(usage, told)
  const dollars = cost === undefined ? 0 : usd(cost.usd - totals.usd)
  return {
    usage: rest === undefined || (told !== undefined && totalTokens(rest) === 0) ? undefined : rest,
    cost: cost === undefined || dollars <= 0 ? undefined : { usd: dollars, by: cost.by },
  }
}
type Sums = Pick<TurnEnd, 'usage' | 'cost'>

/** Adds the turn's share to the totals, which the program counts from its start. */
function count(session: WriteSession, event: TurnEnd): void {
  const { totals, turn } = session
  const shares: [string, ModelTotal][] =
    event.byModel?.map(({ model, usage, cost, contextLimit, outputLimit }) => [
      model,
      { usage: usage ?? {}, usd: cost?.usd ?? 0, searches: 0, contextLimit, outputLimit },
    ]) ?? (event.usage === undefined ? [...turn.byModel] : alone(session, event.usage, event.cost?.usd ?? turn.usd ?? 0))
  const told = kept(event, 'modelUsage') // sums, too
  for (const [index, [model, share]] of shares.entries()) {
    const before = totals.models.get(model)
    const sums = told?.[model]
    const served = index === 0 ? turn.served.web_search_requests : 0
    totals.models.set(model, {
      usage: addUsage(before?.usage, share.usage),
      usd: (before?.usd ?? 0) + share.usd,
      searches: (isRecord(sums) ? nat(sums['webSearchRequests']) : undefined) ?? (before?.searches ?? 0) + served,
      contextLimit: share.contextLimit ?? turn.byModel.get(model)?.contextLimit ?? before?.contextLimit,
      outputLimit: share.outputLimit ?? before?.outputLimit,
    })
  }
  totals.usd += event.cost?.usd ?? turn.usd ?? 0
}

/** No model told its share: the session's own model did all of it. */
function alone({ setting, turn }: WriteSession, usage: Usage, dollars: number): [string, ModelTotal][] {
  const [told] = turn.byModel
  const model = setting.model ?? told?.[0]
  if (model === undefined || totalTokens(usage) === 0) return []
  return [[model, { usage, usd: dollars, searches: 0, contextLimit: told?.[1].contextLimit, outputLimit: undefined }]]
}

function denials(session: WriteSession, event: TurnEnd): Rec[] {
  if (event.denied === undefined) return [...session.turn.denied.values()]
  return event.denied.map(({ name, call, input }) => ({
    tool_name: name,
    tool_use_id: call ?? '',
    tool_input: isRecord(input) ? input : {},
  }))
}
