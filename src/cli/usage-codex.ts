// The usage in Codex' rollout files. A fork or a subagent may begin with a copy of its parent's history, sums included; what it used
// itself begins behind that copy.
import { utf8 } from '../base/bytes.ts'
import { isRecord, type Rec } from '../base/json.ts'
import type { Book } from '../analyze/usage-book.ts'
import { usageSince } from '../model/usage.ts'
import type { Tokens } from '../prices/price.ts'
import { eachMarkedLine, lineFinder } from './usage-lines.ts'

/** `total`: the sum of the thread so far. `response`: the record of one model call, in newer versions beside the sum. */
type Told = { at: number; model: string | undefined; last: Tokens; total?: Tokens; response?: string | undefined }
type Rollout = { id: string; parent: string | undefined; at: number; cwd: string | undefined; provider: string | undefined; told: Told[] }

const find = lineFinder(['"session_meta"', '"turn_context"', '"token_count"', '"token_usage_record"'])
const none = new Set<string>()

/** Reads rollouts, oldest first: a fork's parent is older than the fork. */
export function createRollouts(book: Book) {
  const sums = new Map<string, string[]>()

  return function read(path: string): void {
    const rollout = scan(path)
    const { id, parent, cwd, provider, told } = rollout
    const session = book.sessionOf(id)
    session.project ??= cwd
    session.provider ??= provider
    const before = new Set(sums.get(id))
    const all = parent === undefined ? told : ownPart(rollout, sums.get(parent) ?? [])
    const own = before.size === 0 ? all : all.filter(({ total }) => total === undefined || !before.has(keyOf(total)))
    const first = own.find(({ total }) => total !== undefined)
    if (parent !== undefined && first?.total !== undefined) book.inherit(session, usageSince(first.total, first.last))
    for (const { at, model, last, total, response } of own) {
      session.model = model ?? session.model
      if (total === undefined) book.message(session, { at, model, tokens: last, message: response, oneRequest: true })
      else book.running(session, { at, model }, total, none)
    }
    const now = told.flatMap(({ total }) => (total === undefined ? [] : [keyOf(total)]))
    if (now.length >= before.size) sums.set(id, now) // another copy may be older, or of before the thread was resumed
  }
}

/** What the output of `codex exec` tells at the end of a turn: the sum of the thread, also of what was before this run. */
export const threadTotal = ({ type, usage }: Rec): Tokens | undefined => (type === 'turn.completed' ? usageOf(usage) : undefined)

const keyOf = ({ input, output, reasoning, cacheRead, cacheWrite }: Tokens): string =>
  [input, output, reasoning, cacheRead, cacheWrite].join()

/** Copied history is written at once, at the time of the fork, or keeps its old times. */
const burst = 1000

/** Without what was copied. Records of model calls are never copied: where there are any, they are all that counts. */
function ownPart({ at, told }: Rollout, parentSums: readonly string[]): Told[] {
  const calls = told.filter(({ total }) => total === undefined)
  if (calls.length > 0) return calls
  let start = 0
  while (start < told.length && told[start]!.at < at) start++
  let same = start
  while (same < told.length && parentSums[same - start] === keyOf(told[same]!.total!)) same++
  if (same > start + 1 || same === told.length) return told.slice(same) // one alone may be like the parent's by chance
  const second = told[start + 1]
  if (second === undefined || second.at - told[start]!.at > burst) return told.slice(start)
  let end = start + 1
  while (end < told.length && told[end]!.at - told[end - 1]!.at <= burst) end++
  return told.slice(end)
}

function scan(path: string): Rollout {
  const rollout: Rollout = { id: path, parent: undefined, at: 0, cwd: undefined, provider: undefined, told: [] }
  let begun = false
  let model: string | undefined
  const sums = new Set<string>() // a second one of the same time and size is a copy, and no program that counts anew
  eachMarkedLine(path, find, (bytes, start, end) => {
    const record = parsed(utf8(bytes, start, end))
    const { type, timestamp } = record
    const payload = isRecord(record['payload']) ? record['payload'] : {}
    const at = Date.parse(String(timestamp)) || 0
    if (type === 'session_meta' && !begun) {
      begun = true // a later one is the parent's, copied
      Object.assign(rollout, metaOf(payload, path, at))
    } else if (type === 'turn_context') model = textOf(payload['model']) ?? model
    else if (type === 'token_usage_record') {
      const last = usageOf(payload['usage'])
      if (last !== undefined)
        rollout.told.push({ at, model: textOf(payload['model']) ?? model, last, response: textOf(payload['response_id']) })
    } else if (type === 'event_msg' && payload['type'] === 'token_count' && isRecord(payload['info'])) {
      const total = usageOf(payload['info']['total_token_usage'])
      if (total === undefined) return
      const mark = `${at} ${keyOf(total)}`
      if (at > 0 && sums.has(mark)) return
      sums.add(mark)
      rollout.told.push({ at, model, total, last: usageOf(payload['info']['last_token_usage']) ?? total })
    }
  })
  return rollout
}

function metaOf(meta: Rec, path: string, at: number): Partial<Rollout> {
  const { source } = meta
  const subagent = isRecord(source) ? source['subagent'] : undefined
  const spawn = isRecord(subagent) ? subagent['thread_spawn'] : undefined
  return {
    id: textOf(meta['id']) ?? textOf(meta['session_id']) ?? path,
    parent: textOf(meta['forked_from_id']) ?? (isRecord(spawn) ? textOf(spawn['parent_thread_id']) : undefined),
    at,
    cwd: textOf(meta['cwd']),
    provider: textOf(meta['model_provider']),
  }
}

/** Codex counts what came from the cache as input too, and thinking as output. */
function usageOf(usage: unknown): Tokens | undefined {
  if (!isRecord(usage)) return undefined
  const count = (key: string): number => {
    const value = usage[key]
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
  }
  const cacheRead = count('cached_input_tokens')
  const cacheWrite = count('cache_write_input_tokens')
  const reasoning = count('reasoning_output_tokens')
  return {
    input: Math.max(0, count('input_tokens') - cacheRead - cacheWrite),
    output: Math.max(0, count('output_tokens') - reasoning),
    reasoning,
    cacheRead,
    cacheWrite,
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function parsed(text: string): Rec {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
