// Tool calls of one answer: checked, permitted, made, and told. Calls run side by side, but those that change files one after another.
// Whatever goes wrong with a call is told to the model, and the run goes on.
import { explain } from '../../base/explain.ts'
import { nearest } from '../../base/nearest.ts'
import { quoted } from '../../base/text.ts'
import type { Payload, Place } from '../../model/event.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import type { Answer } from '../../supervise/contract.ts'
import type { ToolCall } from './model/part.ts'
import type { Lane, Session } from './session.ts'
import { type Plan, type Tool, ToolError, type ToolResult } from './tools/tool.ts'

/** `stop`: whoever answered a question wants the turn to end. */
export type CallsEnd = { stop: boolean }

export async function makeCalls(
  session: Session,
  lane: Lane,
  tools: readonly Tool[],
  calls: readonly ToolCall[],
  message: string,
  signal: AbortSignal,
): Promise<CallsEnd> {
  let stop = false
  let editing: Promise<unknown> = Promise.resolve()
  await eachOf(calls, mostAtOnce, async (call) => {
    const tool = tools.find(({ name }) => name === call.name)
    const make = async (): Promise<void> => {
      if ((await makeCall(session, lane, tools, tool, call, message, signal)).stop === true) stop = true
    }
    if (tool?.kind !== 'edit') return make()
    const mine = editing.then(make)
    editing = mine
    return mine
  })
  return { stop }
}

const mostAtOnce = 16

/** All of them, in order, and so many at once. */
async function eachOf<T>(all: readonly T[], most: number, act: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values()
  const worker = async (): Promise<void> => {
    for (const one of rest) await act(one)
  }
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, worker))
}

async function makeCall(
  session: Session,
  lane: Lane,
  tools: readonly Tool[],
  tool: Tool | undefined,
  call: ToolCall,
  message: string,
  signal: AbortSignal,
): Promise<{ stop?: boolean }> {
  const { host } = session
  const place: Place = { agent: lane.agent, message, call: call.id }
  const kind = tool?.kind ?? toolKindOf(call.name)
  let startedAt = host.now()
  const end = (payload: Omit<Payload<'tool.end'>, 'name' | 'toolKind'>): void => {
    const endedAt = host.now()
    session.tell(
      'tool.end',
      { name: call.name, toolKind: kind, ...payload, startedAt, endedAt, durationMs: Math.max(0, endedAt - startedAt) },
      place,
    )
  }
  const fail = (text: string): { stop?: boolean } => {
    end({ status: 'error', text, error: { category: 'invalid', text } })
    return {}
  }

  if (signal.aborted) return (end({ status: 'cancelled', text: 'the turn was ended before the call was made' }), {})
  if (tool === undefined) return fail(unknownTool(call.name, tools))
  if (call.bad !== undefined) return fail(`${call.why}; the call was not made. Send it again with valid JSON.`)

  try {
    const wrong = explain(tool.parameters, call.input)
    if (wrong !== undefined) return fail(`wrong arguments for ${tool.name}: ${wrong.replace('the record', 'the object')}`)
    let { input } = call
    let plan = await tool.plan(input, session.request.context)
    let answer: Answer | undefined
    if (plan.ask !== undefined) {
      answer = await session.permission(
        {
          place: { ...place, session: session.request.session, turn: session.turn.number },
          profile: lane.profile.name,
          above: lane.above,
          name: call.name,
          toolKind: kind,
          input,
          changes: tool.changes,
          ...plan.ask,
        },
        signal,
      )
      startedAt = host.now() // an answer may take long, and that is not the time of the call
      if (answer.decision !== 'allow') return refused(session, call, answer, end)
      if (answer.instead !== undefined) return (end({ status: 'ok', text: JSON.stringify(answer.instead), data: answer.instead }), {})
      if (answer.input !== undefined) {
        const again = explain(tool.parameters, answer.input)
        if (again !== undefined) return fail(`the arguments were changed by the one who allowed the call, and are wrong now: ${again}`)
        input = answer.input
        plan = await tool.plan(input, session.request.context)
      }
    }
    startedAt = host.now()
    session.tell(
      'tool.update',
      {
        state: 'running',
        title: plan.title,
        ...(plan.paths !== undefined && { paths: [...plan.paths] }),
        ...(input !== call.input && { input }),
      },
      place,
    )
    const result = await run(session, plan, place, signal)
    end({
      ...endOf({ ...result, text: session.request.conceal(result.text) }, signal),
      ...(answer !== undefined && { permitted: { allow: true, by: answer.by } }),
    })
    if (!signal.aborted && tool.kind === 'read') tellResources(session, plan, place)
    return {}
  } catch (error) {
    if (signal.aborted) return (end({ status: 'cancelled', text: 'the call was ended before it was done' }), {})
    return fail(
      error instanceof ToolError ? error.message : `${call.name} failed: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name)
  const near = nearest(name, names)
  return `there is no tool ${quoted(name)}${near === undefined ? '' : ` (did you mean ${near}?)`}; the tools are ${names.join(', ')}`
}

function refused(
  session: Session,
  call: ToolCall,
  answer: Answer,
  end: (payload: Omit<Payload<'tool.end'>, 'name' | 'toolKind'>) => void,
): { stop?: boolean } {
  if (answer.decision === 'cancelled') return (end({ status: 'cancelled', text: 'the question was withdrawn; the call was not made' }), {})
  session.turn.denied.push({ call: call.id, name: call.name, input: call.input })
  const text = answer.text ?? 'permission was refused; the call was not made'
  end({ status: 'denied', text, error: { category: 'invalid', text }, permitted: { allow: false, by: answer.by } })
  return { stop: answer.stop === true }
}

const run = (session: Session, plan: Plan, place: Place, signal: AbortSignal): Promise<ToolResult> =>
  plan.run({
    call: place.call!,
    signal,
    output: (stream, text) => session.tell('tool.delta', { of: 'output', text, stream }, place),
    emit: (kind, payload) => session.tell(kind, payload, place),
  })

function endOf(
  { text, data, media, exitCode, failed, task }: ToolResult,
  signal: AbortSignal,
): Omit<Payload<'tool.end'>, 'name' | 'toolKind'> {
  const bad = failed === true || (exitCode !== undefined && exitCode !== 0)
  return {
    status: signal.aborted ? 'cancelled' : bad ? 'error' : 'ok',
    text,
    ...(data !== undefined && { data }),
    ...(media !== undefined &&
      media.length > 0 && { content: media.map(({ mime, data: bytes }) => ({ type: 'file', mime, data: bytes })) }),
    ...(exitCode !== undefined && { exitCode }),
    ...(task !== undefined && { task }),
  }
}

/** A file that belongs to a skill was read: its content is in the conversation now. */
function tellResources({ request, tell }: Session, plan: Plan, place: Place): void {
  for (const path of plan.paths ?? []) {
    const skill = request.skills.find(({ folder }) => path.startsWith(`${folder}/`))
    if (skill !== undefined) tell('skill.load', { name: skill.name, level: 'resource', path }, { agent: place.agent })
  }
}
