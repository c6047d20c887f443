// One illegal change to a legal stream, and the finding that it must lead to.
import type { Rec } from '../base/json.ts'
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

/** A change at one record. `at` says where it may be made; `make` gives the records that stand there instead. */
type Change = {
  what: string
  code: string
  at(record: Rec, index: number, records: readonly Rec[]): boolean
  make(record: Rec): Rec[]
}

const drop = (): Rec[] => []
const twice = (record: Rec): Rec[] => [record, { ...record }]
const stranger = 'never-called'

const isLast =
  (key: string, value: string, session: string | undefined) =>
  (record: Rec, index: number, records: readonly Rec[]): boolean =>
    record[key] === value &&
    !records
      .slice(index + 1)
      .some((later) => session === undefined || (later[session] === record[session] && typeof later[session] === 'string'))

const blocksOf = (record: Rec): Rec[] => {
  const content = (record['message'] as Rec | undefined)?.['content']
  return Array.isArray(content) ? (content as Rec[]) : []
}
const hasResult = (record: Rec): boolean => record['type'] === 'user' && blocksOf(record).some((block) => block['type'] === 'tool_result')
const partOf = (record: Rec): Rec => (record['part'] ?? {}) as Rec
const eventOf = (record: Rec): Rec => (record['event'] ?? {}) as Rec

const changes: Record<StreamDialect, readonly Change[]> = {
  appctl: [
    {
      what: 'the last done is missing',
      code: 'missing-end',
      at: (record, index, all) => record['kind'] === 'done' && index === all.length - 1,
      make: drop,
    },
    { what: 'a second done', code: 'done-last', at: (record) => record['kind'] === 'done', make: twice },
    { what: 'a second user_prompt', code: 'prompt-first', at: (record) => record['kind'] === 'user_prompt', make: twice },
    { what: 'no user_prompt', code: 'prompt-first', at: (record, index) => record['kind'] === 'user_prompt' && index === 0, make: drop },
    {
      what: 'a result without a call',
      code: 'unknown-call',
      at: (record) => record['kind'] === 'tool_result',
      make: (record) => [{ ...record, id: stranger }],
    },
    {
      what: 'a call without a result',
      code: 'unanswered-call',
      at: (record, index, all) => record['kind'] === 'tool_result' && endsWell(all, index),
      make: drop,
    },
    {
      what: 'a question about no call',
      code: 'awaiting-open-call',
      at: (record) => record['kind'] === 'tool_call',
      make: (record) => [{ kind: 'awaiting_input', id: stranger }, record],
    },
    {
      what: 'text after an error',
      code: 'error-then-done',
      at: (record) => record['kind'] === 'error',
      make: (record) => [record, { kind: 'assistant_message', text: 'more' }],
    },
  ],
  aictrl: [
    { what: 'session_complete is missing', code: 'missing-end', at: (record) => record['type'] === 'session_complete', make: drop },
    { what: 'a second session_complete', code: 'complete-last', at: (record) => record['type'] === 'session_complete', make: twice },
    { what: 'no session_start', code: 'start-first', at: (record) => record['type'] === 'session_start', make: drop },
    { what: 'a second session_start', code: 'start-first', at: (record) => record['type'] === 'session_start', make: twice },
    { what: 'no tool_catalog', code: 'catalog-second', at: (record) => record['type'] === 'tool_catalog', make: drop },
    { what: 'a number that comes twice', code: 'sequence', at: (record) => record['sequenceNum'] !== undefined, make: twice },
    {
      what: 'a step that does not finish',
      code: 'step-pair',
      at: (record, index, all) => record['type'] === 'step_finish' && stepsOn(all, index),
      make: drop,
    },
    {
      what: 'a tool of an unknown subagent',
      code: 'subagent-open',
      at: (record) => record['type'] === 'tool_use',
      make: (record) => [{ ...record, part: { ...partOf(record), sessionID: stranger } }],
    },
    { what: 'a second session_error', code: 'error-before-complete', at: (record) => record['type'] === 'session_error', make: twice },
    {
      what: 'a word that the document does not list',
      code: 'words',
      at: (record) => record['type'] === 'session_error',
      make: (record) => [{ ...record, reason: 'bad luck' }],
    },
    {
      what: 'a ratio that is wrong',
      code: 'context',
      at: (record) => record['context'] !== undefined && record['context'] !== null,
      make: (record) => [{ ...record, context: { ...(record['context'] as Rec), ratio: -1 } }],
    },
  ],
  avenor: [
    { what: 'session.end is missing', code: 'missing-end', at: isLast('event', 'session.end', 'session_id'), make: drop },
    { what: 'a second session.end', code: 'end-once', at: (record) => record['event'] === 'session.end', make: twice },
    {
      what: 'an update of no call',
      code: 'call-first',
      at: (record) => record['event'] === 'tool.call_update',
      make: (record) => [{ ...record, toolCallId: stranger }],
    },
    {
      what: 'a call that ends twice',
      code: 'update-once',
      at: (record) => record['event'] === 'tool.call_update' && record['status'] !== 'in_progress',
      make: twice,
    },
    {
      what: 'a call that does not end',
      code: 'open-call',
      at: (record) => record['event'] === 'tool.call_update' && record['status'] !== 'in_progress',
      make: drop,
    },
    {
      what: 'an answer to no question',
      code: 'request-first',
      at: (record) => record['event'] === 'permission.response',
      make: (record) => [{ ...record, request_id: stranger }],
    },
    {
      what: 'an option that was not offered',
      code: 'known-option',
      at: (record) => record['event'] === 'permission.response',
      make: (record) => [{ ...record, option_id: stranger }],
    },
    { what: 'a phase that does not end', code: 'phase-pairs', at: (record) => record['event'] === 'avenor.phase.end', make: drop },
    {
      what: 'a loop that does not start',
      code: 'loop-first',
      at: (record, index, all) =>
        record['event'] === 'avenor.loop.start' && all.slice(0, index).every((earlier) => earlier['event'] !== 'avenor.loop.start'),
      make: drop,
    },
    {
      what: 'a loop that does not end',
      code: 'missing-end',
      at: (record, index, all) =>
        record['event'] === 'avenor.loop.end' && all.slice(index + 1).every((later) => later['event'] !== 'avenor.loop.start'),
      make: drop,
    },
    {
      what: 'a retry too many',
      code: 'retry-count',
      at: (record) => record['event'] === 'avenor.retry',
      make: (record) => [{ ...record, attempt: 99 }],
    },
  ],
  claude: [
    {
      what: 'the result is missing',
      code: 'missing-end',
      at: (record) => record['type'] === 'result' && !isRecordOf(record['origin']),
      make: drop,
    },
    {
      what: 'a result of no call',
      code: 'unknown-call',
      at: hasResult,
      make: (record) => [{ ...record, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: stranger, content: 'x' }] } }],
    },
    { what: 'a call with two results', code: 'second-result', at: hasResult, make: twice },
    {
      what: 'no init',
      code: 'init-first',
      at: (record, index, all) => record['subtype'] === 'init' && isFirstOf(all, index) && speaks(all, index),
      make: drop,
    },
    {
      what: 'an error that carries a result',
      code: 'error-result',
      at: (record) => record['type'] === 'result' && Array.isArray(record['errors']),
      make: (record) => [{ ...record, result: 'fine' }],
    },
    {
      what: 'a block that does not stop',
      code: 'stream-bracket',
      at: (record) => eventOf(record)['type'] === 'content_block_stop',
      make: drop,
    },
    {
      what: 'a block that starts twice',
      code: 'stream-bracket',
      at: (record) => eventOf(record)['type'] === 'content_block_start',
      make: twice,
    },
  ],
  sluice: [
    { what: 'session.end is missing', code: 'missing-end', at: (record) => record['kind'] === 'session.end', make: drop },
    { what: 'a second session.end', code: 'one-end', at: (record) => record['kind'] === 'session.end', make: twice },
    { what: 'no session.start', code: 'start-first', at: (record) => record['kind'] === 'session.start', make: drop },
    { what: 'a call that ends twice', code: 'tool-pair', at: (record) => record['kind'] === 'tool.end', make: twice },
    { what: 'a call that starts twice', code: 'tool-pair', at: (record) => record['kind'] === 'tool.start', make: twice },
    { what: 'a call that does not end', code: 'open-at-end', at: (record) => record['kind'] === 'tool.end', make: drop },
    { what: 'a turn that ends twice', code: 'turn-pair', at: (record) => record['kind'] === 'turn.end', make: twice },
    { what: 'a turn that does not start', code: 'turn-pair', at: (record) => record['kind'] === 'turn.start', make: drop },
    { what: 'a message that ends twice', code: 'message-pair', at: (record) => record['kind'] === 'message.end', make: twice },
    {
      what: 'a question without an answer',
      code: 'open-at-end',
      at: (record) => (record['kind'] === 'permission.answer' && record['id'] !== undefined) || record['kind'] === 'question.answer',
      make: drop,
    },
  ],
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
  for (const { what, code, at, make } of random.shuffled(changes[dialect])) {
    const places = records.flatMap((record, index) => (at(record, index, records) ? [index] : []))
    if (places.length === 0) continue
    const index = random.pick(places)
    const broken = [...records.slice(0, index), ...make(records[index]!), ...records.slice(index + 1)]
    return { records: dialect === 'sluice' ? numbered(broken) : broken, what, code }
  }
  return undefined
}
