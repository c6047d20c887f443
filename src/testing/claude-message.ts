// One message of a made-up Claude stream: its content blocks, whole or streamed first, and the calls of its tools.
import type { Rec } from '../base/json.ts'
import { hookCallback } from './claude-beside.ts'
import { type ClaudeRecords, type Lane, structureOf } from './claude-records.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { piecesOf, textOf } from './words.ts'

type Call = { id: string; name: string; input: Rec }
export type Denial = { tool_name: string; tool_use_id: string; tool_input: Rec }
/** How the host's side of the channel shows: not at all, only the agent's questions, or both sides in one file. */
export type Channel = 'none' | 'agent' | 'both'

export type ClaudeMessages = ReturnType<typeof createClaudeMessages>

export function createClaudeMessages(random: Random, plan: Plan, make: ClaudeRecords, channel: Channel) {
  const denials: Denial[] = []

  const thinking = (): Rec =>
    random.chance(0.85)
      ? { type: 'thinking', thinking: textOf(random), signature: random.hex(16) }
      : { type: 'redacted_thinking', data: random.hex(24) }

  // ── streaming ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function emptied(block: Rec): Rec {
    if (block['type'] === 'text') return { type: 'text', text: '' }
    if (block['type'] === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
    return block['type'] === 'tool_use' ? { ...block, input: {} } : block
  }

  function deltasOf(block: Rec): Rec[] {
    if (block['type'] === 'text') return piecesOf(String(block['text']), random).map((text) => ({ type: 'text_delta', text }))
    if (block['type'] === 'thinking') {
      return [
        ...piecesOf(String(block['thinking']), random).map((part) => ({ type: 'thinking_delta', thinking: part })),
        { type: 'signature_delta', signature: block['signature'] },
      ]
    }
    return block['type'] === 'tool_use'
      ? piecesOf(JSON.stringify(block['input']), random).map((part) => ({ type: 'input_json_delta', partial_json: part }))
      : []
  }

  /** The server's events around each block; the whole block stands before the block's stop. */
  function streamed(id: string, lane: Lane, blocks: Rec[], counts: Rec, stop: string): Rec[] {
    const event = (type: string, fields: Rec = {}): Rec => make.streamed({ type, ...fields }, id, lane)
    const opening = {
      id,
      type: 'message',
      role: 'assistant',
      model: make.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...counts, output_tokens: 1 },
    }
    return [
      event('message_start', { message: opening }),
      ...blocks.flatMap((block, index) => [
        event('content_block_start', { index, content_block: emptied(block) }),
        ...deltasOf(block).map((delta) => event('content_block_delta', { index, delta })),
        make.assistant(id, lane, block, { ...counts, output_tokens: 1 }),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: counts['output_tokens'] } }),
      event('message_stop'),
    ]
  }

  /** A stream that broke: what was streamed is withdrawn, another message follows. */
  function abandoned(lane: Lane): Rec[] {
    const id = `msg_${random.hex(10)}`
    const records = streamed(id, lane, [{ type: 'text', text: textOf(random) }], make.usage(), 'end_turn').filter(
      (record) => record['type'] === 'stream_event' && (record['event'] as Rec)['type'] !== 'message_delta',
    )
    records.at(-1)!['abandoned_blocks'] = { api_message_id: id, from_block_index: 0 }
    return records
  }

  /** The message's records, and its calls. */
  function message(lane: Lane, blocks: Rec[], stop: string): Rec[] {
    const id = `msg_${random.hex(10)}`
    const counts = make.usage()
    const broken = plan.deltas && plan.failures && random.chance(0.1) ? abandoned(lane) : []
    if (plan.deltas) return [...broken, ...streamed(id, lane, blocks, counts, stop)]
    const final = random.chance(0.5) // old versions tell the final numbers when the answer came at once
    return blocks.map((block) => make.assistant(id, lane, block, final ? counts : { ...counts, output_tokens: 1 }, final ? stop : null))
  }

  // ── tools ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  const newCall = (): Call => ({ id: `toolu_${random.hex(10)}`, ...make.tool() })
  const useOf = ({ id, name, input }: Call): Rec => ({ type: 'tool_use', id, name, input })

  function resultOf({ id, name, input }: Call, lane: Lane): { block: Rec; fields: Rec } {
    const output = textOf(random)
    const failed = plan.failures && random.chance(0.25)
    const inside = lane.parent !== null // tools of subagents have no structure
    if (failed) {
      const text = name === 'Bash' ? `Exit code ${random.int(1, 9)}\n${output}` : output
      return {
        block: { type: 'tool_result', content: text, is_error: true, tool_use_id: id },
        fields: inside ? {} : { tool_use_result: `Error: ${text}` },
      }
    }
    const structure = inside ? undefined : structureOf(name, input, output)
    const content = random.chance(0.8) ? output : [{ type: 'text', text: output }]
    const block = { tool_use_id: id, type: 'tool_result', content, ...(name === 'Bash' ? { is_error: false } : {}) }
    const meta = random.chance(0.4)
      ? { tool_result_meta: [{ id, permission_decision: { decision: 'accept', source: 'config', reason_type: 'mode' } }] }
      : {}
    return { block, fields: { ...(structure === undefined ? {} : { tool_use_result: structure }), ...meta } }
  }

  function denied({ id, name, input }: Call, lane: Lane): Rec[] {
    const text = `Claude requested permissions to use ${name}, but you haven't granted it yet.`
    denials.push({ tool_name: name, tool_use_id: id, tool_input: input })
    const meta = [{ id, non_execution_kind: 'user-rejected', permission_decision: { decision: 'reject', source: 'config' } }]
    return [
      make.system('permission_denied', { tool_name: name, tool_use_id: id, message: text }),
      make.user([{ type: 'tool_result', content: text, is_error: true, tool_use_id: id }], lane, {
        tool_use_result: `Error: ${text}`,
        tool_result_meta: meta,
      }),
    ]
  }

  /** The agent asks, the host answers; in a recording of the agent's side alone the answer is not there. */
  function asked({ id, name, input }: Call): Rec[] {
    const request_id = random.uuid()
    const request = {
      subtype: 'can_use_tool',
      tool_name: name,
      display_name: name,
      input,
      description: textOf(random),
      permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      tool_use_id: id,
    }
    const answer = {
      type: 'control_response',
      response: {
        subtype: 'success',
        request_id,
        response: {
          behavior: 'allow',
          updatedInput: name === 'AskUserQuestion' ? { ...input, answers: { 'Which colour?': 'Red' } } : input,
        },
      },
    }
    const withdrawn = { type: 'control_cancel_request', request_id }
    return [{ type: 'control_request', request_id, request }, ...(random.chance(0.1) ? [withdrawn] : channel === 'both' ? [answer] : [])]
  }

  /** From the call to its result, without the tool_use itself. */
  function runOf(call: Call, lane: Lane): Rec[] {
    if (plan.failures && random.chance(0.15)) return denied(call, lane)
    const { block, fields } = resultOf(call, lane)
    return [
      ...(random.chance(0.15) ? make.hook(`PreToolUse:${call.name}`, 'PreToolUse', random.chance(0.3)) : []),
      ...(channel !== 'none' && lane.parent === null && random.chance(0.5) ? asked(call) : []),
      ...(channel !== 'none' && random.chance(0.1) ? hookCallback(random, call.id, call.name, call.input, channel === 'both') : []),
      ...(random.chance(0.1) ? [make.progress(call.id, call.name)] : []),
      make.user([block], lane, fields),
    ]
  }

  /** A message that calls tools; they end in any order, several results now and then in one record. */
  function working(lane: Lane, most: number): Rec[] {
    const calls = random.some(1, most, newCall)
    const words = [...(random.chance(0.3) ? [thinking()] : []), ...(random.chance(0.5) ? [{ type: 'text', text: textOf(random) }] : [])]
    const said = message(lane, [...words, ...calls.map(useOf)], 'tool_use')
    if (calls.length > 1 && random.chance(0.2)) {
      return [
        ...said,
        make.user(
          random.shuffled(calls).map((call) => resultOf(call, lane).block),
          lane,
        ),
      ]
    }
    return [
      ...said,
      ...interleaved(
        calls.map((call) => runOf(call, lane)),
        random,
      ),
    ]
  }

  const answering = (lane: Lane, text: string): Rec[] =>
    message(lane, [...(random.chance(0.3) ? [thinking()] : []), { type: 'text', text }], 'end_turn')

  return { message, working, answering, denials, useOf }
}
