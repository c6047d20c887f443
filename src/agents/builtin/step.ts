// One answer of the model, with as many tries as it takes: parts become events as they come, a failed try is withdrawn and told.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { Fault, Payload, Place } from '../../model/event.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import { contextTokens } from '../../model/usage.ts'
import { newId } from './id.ts'
import { type CallResult, callModel } from './model/call.ts'
import type { ModelPart, ToolCall } from './model/part.ts'
import { retryDelay } from './model/retry.ts'
import { costOf } from './price.ts'
import { type Lane, type Session, spend } from './session.ts'
import type { Tool } from './tools/tool.ts'

export type Step = { finish: CallResult['finish']; calls: readonly ToolCall[]; message: string; text: string; error?: Fault }

export async function step(session: Session, lane: Lane, tools: readonly Tool[], signal: AbortSignal): Promise<Step> {
  const { request, host } = session
  const { model } = lane
  const message = newId('msg', host.now())
  const place: Place = { agent: lane.agent, message }
  session.tell('message.start', { model: model.id, provider: model.provider }, place)
  if (lane.agent === undefined) session.turn.steps++
  for (let attempt = 1; ; attempt++) {
    const parts = createTeller(session, lane, place, tools)
    const began = host.now()
    const result = await callModel(model, {
      prompt: [{ role: 'system', content: lane.system }, ...lane.conversation.messages()],
      tools: tools.map(offer),
      signal,
      stream: request.stream,
      onPart: parts.push,
    })
    session.turn.apiMs += host.now() - began
    const { error } = result
    const max = request.apiRetries
    const isOver = error === undefined || signal.aborted || attempt > max
    const delayMs = isOver ? undefined : retryDelay(attempt, error, result.retryAfterMs)
    if (delayMs === undefined) {
      parts.finish()
      end(session, lane, place, result)
      return { finish: result.finish, calls: parts.calls, message, text: parts.text(), ...(error !== undefined && { error }) }
    }
    if (parts.told()) session.tell('message.drop', { fromBlock: 0, why: 'stream_error' }, place)
    session.tell('retry.start', { scope: 'model', attempt, max, delayMs, error }, { agent: lane.agent })
    await sleep(delayMs, undefined, { signal }).catch(() => {})
  }
}

const offer = ({ name, description, parameters }: Tool): LanguageModelV4FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema: parameters,
})

/** In one answer. Each is a call that must be made, told and sent back. */
const mostCalls = 200

type BlockEnd = Extract<ModelPart, { type: 'text.end' | 'thought.end' }>

/** Parts → events. A call is told with its whole input; what it is about is known only later. */
function createTeller(session: Session, lane: Lane, place: Place, tools: readonly Tool[]) {
  const calls: ToolCall[] = []
  const texts: string[] = []
  const streamed = new Set<number>()
  const brokenOff: BlockEnd[] = [] // the next try may take their text back
  let told = false
  let leftOut = 0

  function push(part: ModelPart): void {
    switch (part.type) {
      case 'text.delta':
      case 'thought.delta':
        told = true
        streamed.add(part.block)
        return session.tell(part.type, { text: part.text }, { ...place, block: part.block })
      case 'text.end':
      case 'thought.end':
        return part.partial === true ? void brokenOff.push(part) : endBlock(part)
      case 'tool.call':
        return call(part)
      case 'notice': {
        const { level, code, text, data } = part
        return session.tell('notice', { level, code, text, ...(data !== undefined && { data }) }, { agent: lane.agent })
      }
      case 'tool.delta': // the input is told when it is whole
    }
  }

  function endBlock(part: BlockEnd): void {
    if (part.type === 'text.end' && part.text === '' && part.metadata === undefined && !streamed.has(part.block)) return // no words at all
    told = true
    if (part.type === 'text.end') texts.push(part.text)
    const ext = part.metadata === undefined ? undefined : { builtin: { metadata: part.metadata } }
    const whole = { text: part.text, streamed: streamed.has(part.block) }
    const payload: Payload<'thought.end'> = part.type === 'thought.end' && part.redacted === true ? { ...whole, redacted: true } : whole
    session.tell(part.type, payload, { ...place, block: part.block, ext })
  }

  function call(part: ToolCall): void {
    told = true
    if (calls.length === mostCalls) return void leftOut++
    calls.push(part)
    const tool = tools.find(({ name }) => name === part.name)
    const { bad, metadata } = part
    const own = { ...(bad !== undefined && { bad }), ...(metadata !== undefined && { metadata }) }
    session.tell(
      'tool.start',
      {
        name: part.name,
        toolKind: tool?.kind ?? toolKindOf(part.name),
        input: part.input,
        ...(tool?.server !== undefined && { server: tool.server }),
      },
      { ...place, block: part.block, call: part.id, ext: Object.keys(own).length === 0 ? undefined : { builtin: own } },
    )
  }

  function finish(): void {
    brokenOff.forEach(endBlock)
    if (leftOut === 0) return
    const text = `the model wanted ${mostCalls + leftOut} calls in one answer; the first ${mostCalls} are made`
    session.tell('notice', { level: 'warn', code: 'too_many_calls', text }, { agent: lane.agent })
  }

  return { push, finish, calls, told: () => told, text: () => texts.join('\n\n') }
}

function end(session: Session, { model, profile, spent: own }: Lane, place: Place, result: CallResult): void {
  const { usage, finish, error } = result
  const known = session.request.findModel(model.priceAs ?? `${model.provider}/${model.id}`)
  const cost = usage === undefined || known === undefined ? undefined : costOf(known, usage, session.host.now())
  for (const spent of [session.spent, session.turn.spent, own]) if (usage !== undefined) spend(spent, model.id, usage, cost, known)
  session.tell(
    'message.end',
    {
      finish,
      model: model.id,
      provider: model.provider,
      agentName: profile.name,
      ...(usage !== undefined && { usage, usageFinal: true }),
      ...(cost !== undefined && { cost }),
      ...(usage !== undefined && known?.context !== undefined && { context: { used: contextTokens(usage), limit: known.context } }),
      ...(error !== undefined && { error }),
    },
    place,
  )
}
