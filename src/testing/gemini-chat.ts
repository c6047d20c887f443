// A made-up chat file of Gemini CLI: a header and a line for every change, or, as older versions wrote it, all in one object.
import { type Rec, stringifyJson } from '../base/json.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import { objectOf, textOf, toolOf } from './words.ts'

const model = 'gemini-2.5-flash'

export function geminiChat(random: Random, plan: Plan, time: () => string): Rec[] {
  const { turns, tools, failures, extras } = plan
  const lines: Rec[] = []
  const messages: Rec[] = []
  const change = (fields: Rec): void => void lines.push({ $set: { ...fields, lastUpdated: time() } })

  function put(type: string, content: unknown, fields: Rec = {}): Rec {
    const message = { id: random.uuid(), timestamp: time(), type, content, ...fields }
    messages.push(message)
    lines.push(message)
    change({})
    return message
  }

  /** The message is written again, with its calls. */
  function call(message: Rec): void {
    const toolCalls = random.some(1, 3, () =>
      extras && random.chance(0.2) ? taskCall(random, failures, time) : toolCall(random, failures, time),
    )
    const whole = { ...message, toolCalls }
    messages[messages.length - 1] = whole
    lines.push(whole)
    put(
      'user',
      toolCalls.flatMap(({ result }) => result as unknown[]),
    )
  }

  function think(): Rec {
    const thoughts = random.some(0, 2, () => ({ subject: textOf(random), description: textOf(random), timestamp: time() }))
    const [input, cached, output, thought] = [random.int(0, 9000), random.int(0, 5000), random.int(0, 900), random.int(0, 50)]
    const total = input + cached + output + thought
    return { thoughts, tokens: { input: input + cached, output, cached, thoughts: thought, tool: 0, total }, model }
  }

  const context = { id: random.hex(32), timestamp: time(), type: 'user', content: [{ text: `<session_context>\n${textOf(random)}` }] }
  change({ messages: [context] })
  for (let turn = 0; turn < turns; turn++) {
    const image = extras && random.chance(0.2) ? [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] : []
    const prompt = put('user', random.chance(0.8) ? [{ text: `${textOf(random)}?` }, ...image] : textOf(random))
    for (let step = tools ? random.int(0, 2) : 0; step > 0; step--) call(put('gemini', random.chance(0.5) ? textOf(random) : '', think()))
    if (failures && random.chance(0.3)) put('error', `[API Error: ${textOf(random)}]`)
    else put('gemini', random.chance(0.9) ? textOf(random) : [{ text: textOf(random) }], think())
    if (!extras) continue
    if (random.chance(0.3)) put(random.pick(['info', 'warning']), textOf(random))
    if (random.chance(0.2)) change({ summary: textOf(random) })
    if (random.chance(0.2)) change({ messages: [context, { id: random.hex(8), type: 'user', content: [{ text: '<state_snapshot>' }] }] })
    if (random.chance(0.2)) lines.push({ $rewindTo: prompt['id'] })
  }
  const head = { sessionId: random.uuid(), projectHash: random.hex(64), startTime: time(), lastUpdated: time() }
  if (extras && random.chance(0.2)) return [{ ...head, messages }]
  return [{ ...head, kind: random.pick(['main', 'main', 'subagent']) }, ...lines]
}

const answer = (id: string, name: string, response: Rec): Rec[] => [{ functionResponse: { id, name, response } }]

function toolCall(random: Random, failures: boolean, time: () => string): Rec {
  const { name, input } = toolOf(random, true)
  const id = `${name}__${name}_${random.int(1e6, 1e9)}_${random.hex(4)}`
  const text = textOf(random)
  const [status, response] = !failures || random.chance(0.6) ? ['success', { output: text }] : random.pick(failing)
  const more = { timestamp: time(), resultDisplay: random.pick([text, '', objectOf(random)]), description: text, displayName: name }
  return { id, name, args: input, result: answer(id, name, response), status, ...more, renderOutputAsMarkdown: true }
}

const failing: readonly (readonly [string, Rec])[] = [
  ['success', { output: '<untrusted_context>\nOutput: partial\nExit Code: 3\nProcess Group PGID: 19727\n</untrusted_context>' }],
  ['error', { error: 'File not found' }],
  ['error', { error: 'Tool execution denied by policy.' }],
  ['cancelled', { error: '[Operation Cancelled] Reason: User denied execution.' }],
]

function taskCall(random: Random, failures: boolean, time: () => string): Rec {
  const id = `invoke_agent__invoke_agent_${random.int(1e6, 1e9)}_${random.hex(4)}`
  const agentId = random.uuid()
  const terminateReason = failures ? random.pick(['GOAL', 'MAX_TURNS', 'ABORTED']) : 'GOAL'
  const recentActivity = random.some(0, 3, (index) => {
    const { name, input } = toolOf(random, true)
    return random.chance(0.3)
      ? { id: random.uuid(), type: 'thought', content: textOf(random), status: 'completed' }
      : {
          id: `${agentId}#${index}-0`,
          type: 'tool_call',
          content: name,
          displayName: name,
          args: stringifyJson(input),
          status: 'completed',
        }
  })
  const result = textOf(random)
  return {
    id,
    name: 'invoke_agent',
    args: { agent_name: 'generalist', prompt: textOf(random) },
    result: answer(id, 'invoke_agent', { output: `Subagent 'generalist' finished.\nTermination Reason: ${terminateReason}` }),
    status: 'success',
    timestamp: time(),
    agentId,
    resultDisplay: { isSubagentProgress: true, agentName: 'generalist', recentActivity, state: 'completed', result, terminateReason },
    description: 'Delegating',
    displayName: 'Invoke Agent',
  }
}
