// `result`: the end of a turn. The surprise: `usage` is this turn's and the main lane's, while `modelUsage` and
// `total_cost_usd` count all lanes since the process began, so the turn's share is a difference.
import { type Rec } from '../../base/json.ts'
import type { Cost, Fault, Payload, Place, Usage } from '../../model/event.ts'
import { unreadableEnd } from '../../model/fault.ts'
import { outcomeOf } from '../../model/outcome.ts'
import { addUsage, totalTokens, usageSince } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { textOf } from '../contract.ts'
import { settleAll } from './decode-control.ts'
import { closeMessage } from './decode-lane.ts'
import type { Reader, Session } from './decode-state.ts'
import { besideTokens, faultFrom, finishOf, isSilent, nat, real, reasonOf, usageOf, usageOfModel, usd } from './values.ts'
import type { Wire } from './wire.ts'

type Result = Wire<'result'>

export function result(on: Reader, record: Result): void {
  const { pen, session } = on
  const called = reasonOf(record)
  const denied = record.permission_denials?.map(({ tool_name: name, tool_use_id: call, tool_input: input }) => ({
    call,
    name,
    input,
  }))
  const ending = on.pen.openTurns() > 1 ? session.turnCount - on.pen.openTurns() + 1 : undefined
  const message = session.lanes.get(undefined)?.message
  // A message of the next turn may already be open; this result knows nothing of it.
  const ownMessage = ending === undefined || message?.turn === ending
  closeMessage(on, undefined, ownMessage ? (called === 'cancelled' ? 'cancelled' : finishOf(record.stop_reason)) : undefined)
  settleAll(on, denied, called === 'cancelled')
  if (pen.openTurns() === 0) session.turnCount++ // the pen opens the turn that this result ends
  const share = shareOf(session, record)
  const error = outcomeOf(called) === 'ok' ? undefined : failure(on, record)
  pen.emit(
    'turn.end',
    {
      reason: called === 'error' ? causeOf(session, error!) : called,
      error,
      text: record.result ?? undefined,
      data: (record as { structured_output?: unknown }).structured_output,
      own: usageOf(record.usage),
      ...share,
      durationMs: real(record.duration_ms),
      apiMs: real(record.duration_api_ms),
      steps: nat(record.num_turns),
      denied: denied?.length === 0 ? undefined : denied,
    },
    { ext: beside(record, error) },
  )
  session.fault = undefined
  session.finish = undefined
}

/** One of the wrong shape ends its turn all the same. */
export const unreadable = (on: Reader, record: Rec): void =>
  result(on, { type: 'result', is_error: true, errors: [unreadableEnd(record).text] })

/** What was paid for beside tokens. And errors, where another tells how the turn failed, or it went well. */
function beside({ usage, modelUsage, errors = [] }: Result, fault: Fault | undefined): Place['ext'] {
  const told = besideTokens(usage)
  const searches = Object.entries(modelUsage ?? {}).flatMap(([model, { webSearchRequests: count }]) =>
    nat(count) ? [[model, { webSearchRequests: count }] as const] : [],
  )
  const kept: Rec = {}
  if (told !== undefined) kept['usage'] = told
  if (searches.length > 0) kept['modelUsage'] = Object.fromEntries(searches)
  if (errors.some((error) => fault?.text.includes(textOf(error)) !== true)) kept['errors'] = errors
  return Object.keys(kept).length === 0 ? undefined : { claude: kept }
}

/** What the program calls an error of its own may be a refusal or a limit: the model's last message tells, or the words for it. */
function causeOf({ finish }: Session, { category, http }: Fault): Reason {
  if (category === 'context') return 'context'
  const isVague = http === undefined && (category === 'unknown' || category === 'invalid')
  return isVague && (finish === 'max_tokens' || finish === 'refusal') ? finish : 'error'
}

function failure({ session }: Reader, record: Result): Fault {
  if (session.fault !== undefined) return session.fault
  if (isSilent(record) && reasonOf(record) === 'error') return unreadableEnd(record)
  const errors = record.errors?.map(textOf).join('\n')
  const text = errors || record.result || record.terminal_reason || record.subtype || ''
  const fault = faultFrom(text, {
    type: record.api_error_type,
    code: record.api_error,
    status: record.api_error_status ?? undefined,
    terminal: record.terminal_reason,
  })
  return reasonOf(record) === 'cancelled' ? { ...fault, category: 'cancelled' } : fault
}

type Share = { usage: Usage | undefined; cost: Cost | undefined; byModel: Payload<'turn.end'>['byModel'] }

/** What this turn used in all lanes. */
function shareOf(session: Session, record: Result): Share {
  const since = record.model_usage_since_last_result
  const total = real(record.total_cost_usd)
  if (!since && isAnew(session, record, total)) session.spent = { usd: 0, models: new Map() }
  session.fresh = false
  const { spent } = session
  const before = spent.usd
  if (total) spent.usd = total // 0 is what a turn says that counted nothing
  const byModel = since
    ? Object.entries(since).map(([model, entry]) => modelShare(model, entry, undefined))
    : Object.entries(record.modelUsage ?? {}).map(([model, entry]) => modelShare(model, entry, spent.models.get(model)))
  for (const [model, entry] of Object.entries(record.modelUsage ?? {})) {
    if (spent.models.size < 256) spent.models.set(model, { usage: usageOfModel(entry), usd: real(entry.costUSD) ?? 0 })
  }
  const told = since ?? record.modelUsage
  const sum = byModel.reduce<Usage | undefined>((all, { usage }) => addUsage(all, usage), undefined)
  const usage = sum ?? (since ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } : usageOf(record.usage))
  // Since a resumed process counts its past too, the models' share is the better sum where it is told.
  const dollars = since
    ? byModel.reduce((all, { cost }) => all + (cost?.usd ?? 0), 0)
    : total === undefined
      ? undefined
      : Math.max(0, total - before)
  return {
    usage,
    cost: dollars === undefined ? undefined : { usd: usd(dollars), by: 'source' },
    byModel: told && byModel.length > 0 ? byModel : undefined,
  }
}

/**
 * Does another process speak, which counts from nothing? Then some sum is below the former one, or the turn's model did less since than
 * the main lane says it did in this turn. (Most programs go on with the sums of the session that they resume.)
 */
function isAnew({ spent, fresh, init }: Session, record: Result, total: number | undefined): boolean {
  if (total && total < spent.usd) return true
  const models = Object.entries(record.modelUsage ?? {})
  if (models.length === 0) return false
  if (models.some(([model, { costUSD }]) => (real(costUSD) ?? Infinity) < (spent.models.get(model)?.usd ?? 0))) return true
  if (!fresh || record.result_index) return false
  const own = models.filter(([model]) => model === init?.['model'])
  const tokens = (usage: Usage | undefined): number => totalTokens(usage ?? {})
  const since = (own.length > 0 ? own : models).reduce(
    (sum, [model, entry]) => sum + tokens(usageOfModel(entry)) - tokens(spent.models.get(model)?.usage),
    0,
  )
  return since < tokens(usageOf(record.usage))
}

function modelShare(
  model: string,
  entry: { [key: string]: unknown },
  before: { usage: Usage; usd: number } | undefined,
): NonNullable<Share['byModel']>[number] {
  const dollars = real(entry['costUSD'])
  return {
    model,
    usage: before === undefined ? usageOfModel(entry) : usageSince(usageOfModel(entry), before.usage),
    cost: dollars === undefined ? undefined : { usd: usd(dollars - (before?.usd ?? 0)), by: 'source' },
    contextLimit: nat(entry['contextWindow']),
    outputLimit: nat(entry['maxOutputTokens']),
  }
}
