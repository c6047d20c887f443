// Results of tool calls. What a call came to is spread over the block, `tool_result_meta`, `tool_use_result` and, in old
// versions, the wording of the text.
import { type Payload, type Place, placeOf } from '../../model/event.ts'
import { isRecord, type Rec, stringifyJson } from '../../base/json.ts'
import type { ToolStatus } from '../../model/vocabulary.ts'
import { settle } from './decode-control.ts'
import { endTask, startTask } from './decode-lane.ts'
import { type Reader, turnOf } from './decode-state.ts'
import { decider, exitCodeIn, nat, real, soundsInterrupted, soundsRefused, soundsStopped, str, usageOf } from './values.ts'
import type { Wire } from './wire.ts'

type Block = Wire<'assistant'>['message']['content'][number]
/** `structure`: the record's tool_use_result, when it can only belong to this block; else the first block keeps it as `ext`. */
export type Told = { agent: string | undefined; block: Block; call: string; record?: Wire<'user'>; structure?: unknown; ext?: Place['ext'] }

export function toolEnd(on: Reader, { agent, block, call, record, structure, ext }: Told): void {
  const known = on.session.calls.get(call)
  const lane = known === undefined ? agent : known.lane
  const turn = known?.turn ?? (lane === undefined ? turnOf(on) : undefined)
  on.session.calls.delete(call)
  const given: unknown = block.content
  const object = isRecord(given) ? given : undefined // of a tool that the provider runs
  const data = isRecord(structure) ? structure : object
  const content = Array.isArray(given) ? (given as unknown[]) : object === data || object === undefined ? undefined : [object]
  const text = object === undefined && !Array.isArray(given) ? wordsOf(given) : (textOf(content) ?? (object && saidBy(object)))
  const meta = metaOf(record, call)
  const status = statusOf(block, text ?? '', meta, known?.refused === true)
  const task = status === 'ok' && data !== undefined ? startedTask(on, call, data) : undefined
  if (task === undefined) finishTask(on, call, status, text, data)
  settle(
    on,
    call,
    known?.name,
    wasAllowed(status, text ?? '', meta),
    status === 'cancelled' || text === 'cancelled' || text === 'abandoned',
  )
  const place = placeOf(lane, turn, undefined, undefined, call)
  place.ext = !isRecord(structure) && structure !== undefined && !isSaid(structure, text, content) ? besideExt(structure) : ext
  on.pen.emit(
    'tool.end',
    {
      status,
      text,
      content,
      data,
      error: status === 'error' ? { category: 'unknown', text: text ?? '' } : undefined,
      exitCode: nat(object?.['return_code']) ?? (status === 'error' && text !== undefined ? exitCodeIn(text) : undefined),
      durationMs: data === undefined ? undefined : (real(data['durationMs']) ?? real(data['totalDurationMs'])),
      task,
      permitted: status === 'cancelled' && meta.permitted?.allow === false ? undefined : meta.permitted,
    },
    place,
  )
}

/** A result that is neither text nor blocks nor an object is no result that a tool gives, but it is what stands there. */
const wordsOf = (given: unknown): string | undefined =>
  typeof given === 'string' ? given : given === undefined || given === null ? undefined : stringifyJson(given)

/** What the object of a provider's tool says in words: what went wrong, or what the code printed. */
function saidBy({ error_code: code, stdout, stderr }: Rec): string | undefined {
  const printed = [stdout, stderr].filter((text) => typeof text === 'string' && text !== '')
  return str(code) ?? (printed.length > 0 ? printed.join('\n') : undefined)
}

/** `web_search_tool_result_error` and its like: the provider's tools have no `is_error`. */
const isErrorObject = (content: unknown): boolean => isRecord(content) && str(content['type'])?.endsWith('_error') === true

/** A `tool_use_result` that no event has as its data. */
export const besideExt = (told: unknown): Place['ext'] => ({ claude: { tool_use_result: told } })

/** Most that are no object say the result again. Not all: of wrong input only they tell what was expected. */
const isSaid = (told: unknown, text = '', content?: readonly unknown[]): boolean =>
  typeof told === 'string' ? text.includes(told.replace(/^Error: /, '')) : stringifyJson(told) === stringifyJson(content)

function textOf(content: readonly unknown[] | undefined): string | undefined {
  let text: string | undefined
  for (const part of content ?? []) {
    const piece = isRecord(part) && part['type'] === 'text' ? str(part['text']) : undefined
    if (piece !== undefined) text = text === undefined ? piece : `${text}\n${piece}`
  }
  return text
}

type Meta = { permitted: Payload<'tool.end'>['permitted']; notRun: string | undefined }

function metaOf(record: Wire<'user'> | undefined, call: string): Meta {
  if (record === undefined) return { permitted: undefined, notRun: undefined }
  const meta = record.tool_result_meta?.find((entry): entry is Rec => isRecord(entry) && entry['id'] === call)
  const decision = meta === undefined ? record.permissionDecision : meta['permission_decision']
  const notRun = str(meta?.['non_execution_kind']) ?? str((record as { toolDenialKind?: unknown }).toolDenialKind)
  if (!isRecord(decision))
    return {
      permitted: notRun === undefined ? undefined : { allow: false, by: notRun === 'user-rejected' ? 'user' : 'rule' },
      notRun,
    }
  const allow = decision['decision'] === 'accept'
  return {
    permitted: { allow, by: decider(decision['source'], decision['reason_type'] ?? decision['reasonType'], allow) },
    notRun,
  }
}

function statusOf(block: Block, text: string, { permitted, notRun }: Meta, refused: boolean): ToolStatus {
  if (block.is_error !== true) return isErrorObject(block.content) ? 'error' : 'ok'
  if (notRun !== undefined && soundsStopped(text)) return 'cancelled'
  if (refused || permitted?.allow === false || notRun !== undefined) return 'denied'
  if (soundsInterrupted(text)) return 'cancelled'
  return permitted === undefined && soundsRefused(text) ? 'denied' : 'error'
}

/** Undefined: a call that failed or was cancelled may have been made or not. */
function wasAllowed(status: ToolStatus, text: string, { permitted }: Meta): boolean | undefined {
  if (status === 'cancelled') return soundsStopped(text) ? true : undefined
  if (permitted !== undefined) return permitted.allow
  return status === 'denied' ? false : status === 'ok' || exitCodeIn(text) !== undefined ? true : undefined
}

/** The call went to the background: it is over, its task goes on. */
function startedTask(on: Reader, call: string, data: Rec): string | undefined {
  const command = str(data['backgroundTaskId'])
  const task = command ?? (data['isAsync'] === true ? str(data['agentId']) : undefined)
  if (task === undefined || on.session.tasks.get(call)?.task === task) return task
  startTask(
    on,
    {
      task,
      type: command === undefined ? 'agent' : 'command',
      background: true,
      title: str(data['description']),
      prompt: str(data['prompt']),
    },
    call,
    'implied',
  )
  return task
}

/** A subagent that its caller waited for has ended with the call; newer versions say so before. */
function finishTask(on: Reader, call: string, status: ToolStatus, text: string | undefined, data: Rec | undefined): void {
  const started = on.session.tasks.get(call)
  if (started === undefined || started.background || !on.pen.hasTask(started.task)) return
  endTask(on, { task: started.task, status, text, tokens: nat(data?.['totalTokens']), usage: usageOf(data?.['usage']) }, 'implied')
}
