// One illegal change to a legal stream, and the finding that it must lead to.
import type { Rec } from '../base/json.ts'
import { acpChanges } from './break-acp.ts'
import type { StreamDialect } from './index.ts'
import type { Random } from './random.ts'
import { numbered } from './sluice.ts'

export type Broken = {
  records: Rec[]
  /** What was done, for people. */
  what: string
  /** The code of a finding that `validate` must then have; others may come with it. */
  code: string
}

type Where = (record: Rec, index: number, records: readonly Rec[]) => boolean
/** A change at one record: what it is, the finding, where it may be made, and the records that then stand there. */
export type Change = readonly [what: string, code: string, at: Where, make: (record: Rec) => Rec[]]

const is =
  (key: string, value: string): Where =>
  (record) =>
    record[key] === value
const drop = (): Rec[] => []
const twice = (record: Rec): Rec[] => [record, { ...record }]
const stranger = 'never-called'

/** The record ends its session, and nothing of the session follows. */
const isLast =
  (key: string, value: string, session: string): Where =>
  (record, index, records) =>
    record[key] === value && !records.slice(index + 1).some((later) => later[session] === record[session])

/** Of Copilot's main agent. */
const isMain =
  (type: string): Where =>
  (record) =>
    record['type'] === type && record['agentId'] === undefined

const blocksOf = (record: Rec): Rec[] => {
  const content = (record['message'] as Rec | undefined)?.['content']
  return Array.isArray(content) ? (content as Rec[]) : []
}
const hasResult = (record: Rec): boolean => record['type'] === 'user' && blocksOf(record).some((block) => block['type'] === 'tool_result')
const partOf = (record: Rec): Rec => (record['part'] ?? {}) as Rec
const eventOf = (record: Rec): Rec => (record['event'] ?? {}) as Rec

const changes: Record<StreamDialect, readonly Change[]> = {
  acp: acpChanges,
  copilot: [
    [
      'the last end is missing',
      'missing-end',
      ({ type }, index, all) => (type === 'result' || type === 'session.shutdown') && index === all.length - 1,
      drop,
    ],
    ['a second result', 'end-once', is('type', 'result'), twice],
    ['a second shutdown', 'end-once', is('type', 'session.shutdown'), twice],
    ['a model call that starts twice', 'model-call', isMain('assistant.turn_start'), twice],
    ['a model call that ends twice', 'model-call', isMain('assistant.turn_end'), twice],
    ['a call that starts twice', 'call-pair', is('type', 'tool.execution_start'), twice],
    ['a call that does not start', 'call-pair', is('type', 'tool.execution_start'), drop],
    ['a call that ends twice', 'call-pair', is('type', 'tool.execution_complete'), twice],
    ['an answer to no question', 'request-pair', is('type', 'permission.requested'), drop],
    ['a subagent that does not start', 'subagent-pair', is('type', 'subagent.started'), drop],
  ],
  appctl: [
    ['the last done is missing', 'missing-end', (record, index, all) => record['kind'] === 'done' && index === all.length - 1, drop],
    ['a second done', 'done-last', is('kind', 'done'), twice],
    ['a second user_prompt', 'prompt-first', is('kind', 'user_prompt'), twice],
    ['no user_prompt', 'prompt-first', (record, index) => record['kind'] === 'user_prompt' && index === 0, drop],
    ['a result without a call', 'unknown-call', is('kind', 'tool_result'), (record) => [{ ...record, id: stranger }]],
    ['a call without a result', 'unanswered-call', (record, index, all) => record['kind'] === 'tool_result' && endsWell(all, index), drop],
    [
      'a question about no call',
      'awaiting-open-call',
      is('kind', 'tool_call'),
      (record) => [{ kind: 'awaiting_input', id: stranger }, record],
    ],
    ['text after an error', 'error-then-done', is('kind', 'error'), (record) => [record, { kind: 'assistant_message', text: 'more' }]],
  ],
  aictrl: [
    ['session_complete is missing', 'missing-end', is('type', 'session_complete'), drop],
    ['a second session_complete', 'complete-last', is('type', 'session_complete'), twice],
    ['no session_start', 'start-first', is('type', 'session_start'), drop],
    ['a second session_start', 'start-first', is('type', 'session_start'), twice],
    ['no tool_catalog', 'catalog-second', is('type', 'tool_catalog'), drop],
    ['a number that comes twice', 'sequence', (record) => record['sequenceNum'] !== undefined, twice],
    ['a step that does not finish', 'step-pair', (record, index, all) => record['type'] === 'step_finish' && stepsOn(all, index), drop],
    [
      'a tool of an unknown subagent',
      'subagent-open',
      is('type', 'tool_use'),
      (record) => [{ ...record, part: { ...partOf(record), sessionID: stranger } }],
    ],
    ['a second session_error', 'error-before-complete', is('type', 'session_error'), twice],
    ['a word that the document does not list', 'words', is('type', 'session_error'), (record) => [{ ...record, reason: 'bad luck' }]],
    [
      'a ratio that is wrong',
      'context',
      (record) => record['context'] !== undefined && record['context'] !== null,
      (record) => [{ ...record, context: { ...(record['context'] as Rec), ratio: -1 } }],
    ],
  ],
  avenor: [
    ['session.end is missing', 'missing-end', isLast('event', 'session.end', 'session_id'), drop],
    ['a second session.end', 'end-once', is('event', 'session.end'), twice],
    ['an update of no call', 'call-first', is('event', 'tool.call_update'), (record) => [{ ...record, toolCallId: stranger }]],
    [
      'a call that ends twice',
      'update-once',
      (record) => record['event'] === 'tool.call_update' && record['status'] !== 'in_progress',
      twice,
    ],
    [
      'a call that does not end',
      'open-call',
      (record) => record['event'] === 'tool.call_update' && record['status'] !== 'in_progress',
      drop,
    ],
    ['an answer to no question', 'request-first', is('event', 'permission.response'), (record) => [{ ...record, request_id: stranger }]],
    [
      'an option that was not offered',
      'known-option',
      is('event', 'permission.response'),
      (record) => [{ ...record, option_id: stranger }],
    ],
    ['a phase that does not end', 'phase-pairs', is('event', 'avenor.phase.end'), drop],
    [
      'a loop that does not start',
      'loop-first',
      (record, index, all) =>
        record['event'] === 'avenor.loop.start' && all.slice(0, index).every((earlier) => earlier['event'] !== 'avenor.loop.start'),
      drop,
    ],
    [
      'a loop that does not end',
      'missing-end',
      (record, index, all) =>
        record['event'] === 'avenor.loop.end' && all.slice(index + 1).every((later) => later['event'] !== 'avenor.loop.start'),
      drop,
    ],
    ['a retry too many', 'retry-count', is('event', 'avenor.retry'), (record) => [{ ...record, attempt: 99 }]],
  ],
  claude: [
    ['the result is missing', 'missing-end', (record) => record['type'] === 'result' && !isRecordOf(record['origin']), drop],
    [
      'a result of no call',
      'unknown-call',
      hasResult,
      (record) => [{ ...record, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: stranger, content: 'x' }] } }],
    ],
    ['a call with two results', 'second-result', hasResult, twice],
    ['no init', 'init-first', (record, index, all) => record['subtype'] === 'init' && isFirstOf(all, index) && speaks(all, index), drop],
    [
      'an error that carries a result',
      'error-result',
      (record) => record['type'] === 'result' && Array.isArray(record['errors']),
      (record) => [{ ...record, result: 'fine' }],
    ],
    [
      'a result that says nothing',
      'silent-result',
      (record) => record['type'] === 'result',
      ({ subtype: _subtype, is_error: _failed, ...record }) => [record],
    ],
    ['a block that does not stop', 'stream-bracket', (record) => eventOf(record)['type'] === 'content_block_stop', drop],
    ['a block that starts twice', 'stream-bracket', (record) => eventOf(record)['type'] === 'content_block_start', twice],
  ],
  gemini: [
    ['the last result is missing', 'missing-end', (record, index, all) => record['type'] === 'result' && index === all.length - 1, drop],
    ['a second result', 'result-last', is('type', 'result'), twice],
    ['no init', 'init-first', (record, index) => record['type'] === 'init' && index === 0, drop],
    ['no prompt', 'prompt-first', (record, index, all) => record['role'] === 'user' && all[index + 1]?.['role'] === 'assistant', drop],
    ['a result of no call', 'unknown-call', is('type', 'tool_result'), (record) => [{ ...record, tool_id: stranger }]],
    ['a call that starts twice', 'call-once', is('type', 'tool_use'), twice],
    [
      'an event without a run',
      'init-first',
      (record, index) => record['type'] === undefined && record['projectHash'] === undefined && index === 0,
      (record) => [{ type: 'tool_result', tool_id: stranger }, record],
    ],
    [
      'a chat without a header',
      'header-first',
      (record, index) => record['projectHash'] !== undefined && index === 0,
      (record) => [{ type: 'info', id: stranger, content: '' }, record],
    ],
    [
      'an answer to no call',
      'listed-call',
      is('type', 'user'),
      (record) => [{ ...record, content: [{ functionResponse: { id: stranger } }] }],
    ],
  ],
  opencode: [
    ['a step that finishes twice', 'step-pair', (record) => opencodePart(record)['type'] === 'step-finish', twice],
    [
      'a step that finishes and never started',
      'step-pair',
      // No other change has a place where an error is all that a run tells.
      ({ type }, _, all) => type === 'error' && all.length === 1,
      (record) => [
        { ...record, type: 'step_finish', error: undefined, part: { type: 'step-finish', messageID: stranger, reason: 'stop' } },
        record,
      ],
    ],
    [
      'a text of another message',
      'in-step',
      (record, index, all) => isSpoken(record) && all.slice(0, index).some((earlier) => isStepOf(earlier, record)),
      (record) => [withPart(record, { messageID: stranger })],
    ],
    [
      'a call that ends twice',
      'call-order',
      (record) => /^(completed|error)$/.test(String((opencodePart(record)['state'] as Rec | undefined)?.['status'])),
      twice,
    ],
    ['an answer to no question', 'ask-pair', (record) => /^(permission|question)\.(replied|rejected)$/.test(String(record['type'])), twice],
    [
      'a delta of no part',
      'part-open',
      is('type', 'message.part.delta'),
      (record) => [{ ...record, properties: { ...(record['properties'] as Rec), partID: stranger } }],
    ],
    [
      'a retry too many',
      'retry-count',
      (record) => isRetry(record),
      (record) => [{ ...record, properties: { ...(record['properties'] as Rec), status: { type: 'retry', attempt: 99 } } }],
    ],
  ],
  codex: [
    [
      'the end of a turn is missing',
      'missing-end',
      (record, index, all) => endsTurn(record) && !all.slice(index + 1).some(startsTurn),
      drop,
    ],
    ['a turn that ends twice', 'turn-pair', endsTurn, twice],
    ['a turn that starts twice', 'turn-pair', startsTurn, twice],
    [
      'no head',
      'thread-first',
      (record, index) => index === 0 && (record['type'] === 'thread.started' || record['type'] === 'session_meta'),
      drop,
    ],
    ['an item that ends twice', 'item-once', (record) => /^item[./]completed$/.test(codexName(record)), twice],
    [
      'a delta of no item',
      'item-first',
      (record) => codexName(record) === 'item/agentMessage/delta',
      (record) => [inMessage(record, (message) => ({ ...message, params: { ...(message['params'] as Rec), itemId: stranger } }))],
    ],
    [
      'word of a request that nobody made',
      'request-first',
      (record) => codexName(record) === 'serverRequest/resolved',
      (record) => [inMessage(record, (message) => ({ ...message, params: { ...(message['params'] as Rec), requestId: stranger } }))],
    ],
    [
      'an output of no call',
      'call-first',
      (record) => codexName(record) === 'function_call_output',
      (record) => [{ ...record, payload: { ...(record['payload'] as Rec), call_id: stranger } }],
    ],
  ],
  sluice: [
    ['session.end is missing', 'missing-end', is('kind', 'session.end'), drop],
    ['a second session.end', 'one-end', is('kind', 'session.end'), twice],
    ['no session.start', 'start-first', is('kind', 'session.start'), drop],
    ['a call that ends twice', 'tool-pair', is('kind', 'tool.end'), twice],
    ['a call that starts twice', 'tool-pair', is('kind', 'tool.start'), twice],
    ['a call that does not end', 'open-at-end', is('kind', 'tool.end'), drop],
    ['a turn that ends twice', 'turn-pair', is('kind', 'turn.end'), twice],
    ['a turn that does not start', 'turn-pair', is('kind', 'turn.start'), drop],
    ['a message that ends twice', 'message-pair', is('kind', 'message.end'), twice],
    [
      'a question without an answer',
      'open-at-end',
      (record) => (record['kind'] === 'permission.answer' && record['id'] !== undefined) || record['kind'] === 'question.answer',
      drop,
    ],
  ],
}

/** The part of a message that a record of opencode's run or server holds. */
const opencodePart = (record: Rec): Rec => (record['part'] ?? (record['properties'] as Rec | undefined)?.['part'] ?? {}) as Rec
const withPart = (record: Rec, change: Rec): Rec => {
  const part = { ...opencodePart(record), ...change }
  return record['part'] === undefined ? { ...record, properties: { ...(record['properties'] as Rec), part } } : { ...record, part }
}
function isSpoken(record: Rec): boolean {
  const { type, synthetic } = opencodePart(record)
  return (type === 'text' || type === 'reasoning') && synthetic !== true
}
/** The step of that very message. */
function isStepOf(record: Rec, spoken: Rec): boolean {
  const { type, messageID } = opencodePart(record)
  return type === 'step-start' && messageID === opencodePart(spoken)['messageID']
}
function isRetry(record: Rec): boolean {
  const status = (record['properties'] as Rec | undefined)?.['status']
  return isRecordOf(status) && status['type'] === 'retry'
}

/** What a Codex record is called: exec's type, a message's method, or the inner type of a rollout record. */
function codexName(record: Rec): string {
  const { type, method, payload } = (record['message'] ?? record) as Rec
  const inner = isRecordOf(payload) ? payload['type'] : undefined
  return String(inner ?? type ?? method)
}
const inMessage = (record: Rec, change: (message: Rec) => Rec): Rec =>
  record['message'] === undefined ? change(record) : { ...record, message: change(record['message'] as Rec) }
function startsTurn(record: Rec): boolean {
  return /^(turn[./]started|task_started|turn_started)$/.test(codexName(record))
}
function endsTurn(record: Rec): boolean {
  return /^(turn[./]completed|turn\.failed|task_complete|turn_complete|turn_aborted)$/.test(codexName(record))
}

const isRecordOf = (value: unknown): value is Rec => typeof value === 'object' && value !== null

/** Another step of the aictrl session follows, and nothing went wrong since this one began. */
function stepsOn(all: readonly Rec[], index: number): boolean {
  const isBorder = (other: Rec): boolean =>
    other['sessionID'] === all[index]!['sessionID'] && (other['type'] === 'step_start' || other['type'] === 'error')
  return all.slice(0, index).findLast(isBorder)?.['type'] === 'step_start' && all.slice(index).find(isBorder)?.['type'] === 'step_start'
}

/** The appctl turn around this record ends without an error. */
const endsWell = (all: readonly Rec[], index: number): boolean =>
  all.slice(index).find((later) => later['kind'] === 'done' || later['kind'] === 'error')?.['kind'] === 'done'

const isFirstOf = (all: readonly Rec[], index: number): boolean =>
  !all.slice(0, index).some((earlier) => earlier['subtype'] === 'init' && earlier['session_id'] === all[index]!['session_id'])
/** Somebody says something in the Claude turn that begins here. */
function speaks(all: readonly Rec[], index: number): boolean {
  const mine = all.slice(index + 1).filter((later) => later['session_id'] === all[index]!['session_id'])
  const first = mine.find((later) => later['type'] === 'assistant' || later['type'] === 'stream_event' || later['subtype'] === 'init')
  return first !== undefined && first['type'] !== 'system'
}

/** The stream with one illegal change. Undefined when it offers no place for any. */
export function breakStream(records: readonly Rec[], dialect: StreamDialect, random: Random): Broken | undefined {
  for (const [what, code, at, make] of random.shuffled(changes[dialect])) {
    const places = records.flatMap((record, index) => (at(record, index, records) ? [index] : []))
    if (places.length === 0) continue
    const index = random.pick(places)
    const broken = [...records.slice(0, index), ...make(records[index]!), ...records.slice(index + 1)]
    return { records: dialect === 'sluice' ? numbered(broken) : broken, what, code }
  }
  return undefined
}
