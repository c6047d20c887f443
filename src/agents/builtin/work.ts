// The loop of one lane: ask the model, make the calls it wants, ask again, until it is done or has to stop. The main conversation and
// every subagent go through here.
import type { Fault } from '../../model/event.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { makeCalls } from './calls.ts'
import type { Lane, Session } from './session.ts'
import { step } from './step.ts'

export type WorkEnd = { reason: Reason; text?: string; error?: Fault }

/** `isLast`: after the step that runs, the loop is to end; it says why. `onStep`: before the model is asked again. */
export async function work(
  session: Session,
  lane: Lane,
  signal: AbortSignal,
  isLast: () => Reason | undefined,
  onStep?: () => Promise<void>,
): Promise<WorkEnd> {
  let text: string | undefined
  let shrunk = false
  for (;;) {
    trim(session, lane, false)
    const tools = lane.tools()
    listSkills(session, lane)
    const answer = await step(session, lane, tools, signal)
    if (answer.text !== '') text = answer.text
    const said = text === undefined ? {} : { text }
    if (signal.aborted) return { reason: 'cancelled', ...said }
    if (answer.error !== undefined) {
      // The provider knows better than we how full the model is: make room once, then believe it.
      if (answer.error.category === 'context' && !shrunk && trim(session, lane, true)) {
        shrunk = true
        continue
      }
      return { reason: 'error', error: answer.error, ...said }
    }
    if (answer.calls.length === 0) return { reason: endOf(answer.finish), ...said }
    if (answer.finish === 'max_tokens' || answer.finish === 'refusal') return { reason: answer.finish, ...said }
    const { stop } = await makeCalls(session, lane, tools, answer.calls, answer.message, signal)
    if (signal.aborted || stop) return { reason: 'cancelled', ...said }
    await onStep?.()
    const last = isLast()
    if (last !== undefined) return { reason: last, ...said }
  }
}

const endOf = (finish: Reason): Reason => (finish === 'tool_use' || finish === 'unknown' ? 'end_turn' : finish)

/** Names and descriptions are in the model's list of tools from now on. */
function listSkills({ request, tell }: Session, { agent, tools }: Lane): void {
  if (agent !== undefined || !tools().some(({ name }) => name === 'skill')) return
  for (const { name, description, path } of request.skills) tell('skill.load', { name, level: 'listed', description, path })
}

/** Leaves out the oldest exchanges when the conversation is longer than it may be. False: nothing could be left out. */
function trim({ request, tell }: Session, { agent, model, conversation }: Lane, must: boolean): boolean {
  const limit = request.findModel(model.priceAs ?? `${model.provider}/${model.id}`)?.context
  const before = conversation.tokens()
  const dropped = conversation.planTrim({
    ...(limit !== undefined && { maxTokens: Math.floor(limit * (must ? 0.5 : 0.9)) }),
    ...(limit === undefined && must && { maxTokens: Math.floor(before / 2) }),
    ...(request.historyLimit !== undefined && { maxMessages: request.historyLimit }),
  })
  if (dropped === 0) return false
  const text = `Trimmed ${dropped} older message(s) from model context.`
  tell('context.trim', { why: 'trim', trigger: 'auto', before, text }, { agent, ext: { builtin: { dropped } } })
  return true
}
