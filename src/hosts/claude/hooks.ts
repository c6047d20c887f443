// Hooks that live in the host: before a call it may refuse it or change what the call is given, after one it may add words for the
// model. A hook never opens what a rule keeps closed.
import { isRecord, type Rec } from '../../base/json.ts'
import { type Tool, ToolError } from '../../agents/builtin/tools/tool.ts'
import type { Channel } from './channel.ts'

const defaultMs = 60_000

type Matcher = { isFor(tool: Tool): boolean; ids: readonly string[]; timeoutMs: number }
export type Hooks = { before: readonly Matcher[]; after: readonly Matcher[]; unsupported: readonly string[] }

/** As `initialize` brings them: `{PreToolUse: [{matcher, hookCallbackIds}]}`. */
export function hooksIn(value: unknown): Hooks {
  const all = isRecord(value) ? value : {}
  const { PreToolUse: before, PostToolUse: after, ...others } = all
  return { before: matchers(before), after: matchers(after), unsupported: Object.keys(others) }
}

function matchers(value: unknown): Matcher[] {
  return (Array.isArray(value) ? value : []).filter(isRecord).map(({ matcher, hookCallbackIds, timeout }) => ({
    isFor: matching(typeof matcher === 'string' ? matcher : ''),
    ids: (Array.isArray(hookCallbackIds) ? hookCallbackIds : []).filter((id) => typeof id === 'string'),
    timeoutMs: typeof timeout === 'number' && timeout > 0 ? timeout * 1000 : defaultMs,
  }))
}

/** A pattern is meant for Claude's names, `Bash` and `mcp__server__tool`; ours differ in case and in form. */
function matching(pattern: string): (tool: Tool) => boolean {
  if (pattern === '' || pattern === '*') return () => true
  let expression: RegExp | undefined
  try {
    expression = new RegExp(`^(?:${pattern})$`, 'i')
  } catch {
    // not an expression: a name then
  }
  return (tool) => namesOf(tool).some((name) => expression?.test(name) ?? name.toLowerCase() === pattern.toLowerCase())
}

const namesOf = ({ name, server }: Tool): string[] =>
  server === undefined ? [name] : [name, `mcp__${server}__${name.slice(server.length + 1)}`]

export type HookScene = {
  ask: Channel['ask']
  /** What every hook is told: the session, the folder, the mode. */
  common(): Rec
  /** Ends when the turn is stopped. */
  signal(): AbortSignal
}

export function withHooks(tool: Tool, { before, after }: Hooks, scene: HookScene): Tool {
  const first = before.filter(({ isFor }) => isFor(tool))
  const then = after.filter(({ isFor }) => isFor(tool))
  if (first.length === 0 && then.length === 0) return tool

  const call = (event: string, { ids, timeoutMs }: Matcher, about: Rec, id?: string): Promise<Rec[]> => {
    const signal = AbortSignal.any([scene.signal(), AbortSignal.timeout(timeoutMs)])
    const named = id === undefined ? {} : { tool_use_id: id }
    const input = { hook_event_name: event, ...scene.common(), tool_name: tool.name, ...about, ...named }
    return Promise.all(ids.map((one) => scene.ask({ subtype: 'hook_callback', callback_id: one, input, ...named }, signal)))
  }

  /** What the call is given after all hooks have seen it. A hook that fails does not speak for the call. */
  async function allowed(input: Rec): Promise<Rec> {
    let given = input
    for (const matcher of first) {
      const outputs = await call('PreToolUse', matcher, { tool_input: given }).catch((error: Error) => {
        throw new ToolError(`the call was not made: a hook of the host failed (${error.message})`, { cause: error })
      })
      for (const output of outputs) {
        const said = isRecord(output['hookSpecificOutput']) ? output['hookSpecificOutput'] : {}
        if (said['permissionDecision'] === 'deny' || output['decision'] === 'block' || output['continue'] === false)
          throw new ToolError(
            wordsOf(said['permissionDecisionReason'], output['reason'], output['stopReason']) ?? 'a hook of the host refused the call',
          )
        if (isRecord(said['updatedInput'])) given = said['updatedInput']
      }
    }
    return given
  }

  /** Words that the hooks add. One that fails has none. */
  async function remarks(input: Rec, response: unknown, id: string): Promise<string[]> {
    const outputs = await Promise.all(
      then.map((matcher) => call('PostToolUse', matcher, { tool_input: input, tool_response: response }, id).catch(() => [])),
    )
    return outputs.flat().flatMap((output) => {
      const said = isRecord(output['hookSpecificOutput']) ? output['hookSpecificOutput'] : {}
      return [wordsOf(said['additionalContext']), output['decision'] === 'block' ? wordsOf(output['reason']) : undefined].filter(
        (words) => words !== undefined,
      )
    })
  }

  return {
    ...tool,
    async plan(input, context) {
      const given = await allowed(input)
      const plan = await tool.plan(given, context)
      if (then.length === 0) return plan
      return {
        ...plan,
        async run(run) {
          const result = await plan.run(run)
          const added = await remarks(given, result.data ?? result.text, run.call)
          return added.length === 0 ? result : { ...result, text: [result.text, ...added].join('\n\n') }
        },
      }
    },
  }
}

const wordsOf = (...values: unknown[]): string | undefined =>
  values.find((value) => typeof value === 'string' && value !== '') as string | undefined
