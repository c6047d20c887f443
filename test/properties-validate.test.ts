// Properties of validate and repair: legal streams pass, cut ones lack an end, broken ones are found out, repaired ones are legal.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { type DialectName, dialects, validate } from '../src/index.ts'
import { breakStream, cutStream, legalStream, linesOf, noisy } from '../src/testing/index.ts'
import { bytesOf, chunksOf, findingsOf, holds, names, told } from './properties.ts'

suite('validate accepts every legal stream', () => {
  for (const dialect of names) {
    test(dialect, () => holds(60, (seed) => assert.deepEqual(told(findingsOf(linesOf(legalStream(dialect, seed)), dialect)), [])))
  }
})

suite('the generators make every type of record', () => {
  /** Types that no document names: read, and never part of a stream that follows one. */
  const beyond: Record<DialectName, RegExp> = {
    sluice: /^$/,
    // A whole turn in one record.
    appctl: /^POST \/run$/,
    copilot: /^$/,
    acp: /^$/,
    gemini: /^$/,
    // A part without a type, which no part is.
    opencode: /^message\.part\.updated$/,
    // What a host says alone, without the agent.
    codex: /^(thread\/(start|resume|fork|name\/set)|turn\/(start|steer|interrupt))$/,
    avenor: /^(avenor\.compaction|subscriber\.lagged)$/,
    aictrl: /^(invocation_error|tool_catalog_error)$/,
    // Transcript files, requests of a host that no recording shows, and what the program declares but was never seen to write.
    claude:
      /^(attachment|queue-operation|mode|permission-mode|cost-state|summary|.*-title|last-prompt|tools-used|atis-latch|api-request.*|file-history-snapshot|progress|result|system\/(api_error|local_command|stop_hook_summary|turn_duration|worker_shutting_down|control_request_progress|code_change_published|vcs_state_changed)|control_request\/(mcp_message|rewind_files|stop_task)|conversation_reset|command_lifecycle|active_goal|transcript_mirror)$/,
  }
  for (const dialect of names) {
    test(dialect, () => {
      const { tag, shapes } = dialects[dialect]
      const left = new Set(Object.keys(shapes.checks).filter((type) => !beyond[dialect].test(type)))
      for (let seed = 0; seed < 2000 && left.size > 0; seed++)
        for (const record of legalStream(dialect, seed, { failures: true, extras: true })) left.delete(tag(record) ?? '')
      assert.deepEqual([...left], [])
    })
  }
})

type OpencodePart = { type?: string; reason?: string; synthetic?: true; callID?: string; state?: { status: string; error?: string } }
type OpencodeTold = { sessionID?: string; part?: OpencodePart; status?: { type: string }; error?: { name: string } }

/** Sessions of opencode that go on: a run until a last step, an error or a refusal, a server's until it is idle and its calls are over. */
function opencodeOpen(records: readonly Rec[]): number {
  const sessions = new Map<string | undefined, { waits: Set<string>; sumsUp: boolean; refused: boolean }>()
  for (const record of records) {
    const { sessionID, part = {}, status, error } = (record['properties'] ?? record) as OpencodeTold
    const session = sessions.get(sessionID) ?? { waits: new Set(), sumsUp: false, refused: false }
    sessions.set(sessionID, session)
    const wait = (what: string, isOpen: boolean): unknown => (isOpen ? session.waits.add(what) : session.waits.delete(what))
    const { type, reason, callID, state } = part
    if (record['properties'] !== undefined) {
      if (status !== undefined) wait('idle', status.type !== 'idle')
      if (type === 'step-start') wait('idle', true)
      if (type === 'tool') wait(`call ${callID}`, state?.status !== 'completed' && state?.status !== 'error')
      if (record['type'] === 'session.idle') wait('idle', false)
      if (record['type'] === 'session.deleted') session.waits.clear()
    } else if (record['type'] === 'error') {
      wait('more', false)
      session.sumsUp = error?.name === 'ContextOverflowError'
    } else if (type === 'step-finish') {
      wait('more', session.sumsUp || (reason === 'tool-calls' && !session.refused))
      session.sumsUp = false
    } else if (type === 'step-start' || part.synthetic === true) {
      wait('more', true)
      session.refused = false
    } else session.refused ||= state?.error?.includes('rejected permission') === true
  }
  return [...sessions.values()].filter(({ waits }) => waits.size > 0).length
}

type AcpMessage = { id?: unknown; method?: string; params?: Rec; result?: Rec; error?: Rec }

/** A prompt without its answer; or, where the agent alone speaks, words of it that no answer follows. A host alone lacks nothing. */
function acpOpen(records: readonly Rec[]): number {
  const messages = records.map((record) => [(record['message'] ?? record) as AcpMessage, record['from']] as const)
  const isHeard = (...methods: string[]): boolean => messages.some(([{ method = '' }]) => methods.includes(method))
  const host = isHeard('initialize', 'session/prompt')
  let open = false
  let asked: unknown
  for (const [{ id, method, params, result, error }, from] of messages) {
    const { sessionUpdate = '' } = (params?.['update'] ?? {}) as { sessionUpdate?: string }
    const isChild = String(params?.['sessionId']).startsWith('sub_')
    const speaks = method === 'session/request_permission' || /^(agent_.*_chunk|tool_call)$/.test(sessionUpdate)
    const answers = error !== undefined || ['stopReason', 'modes', 'configOptions'].some((key) => result?.[key] !== undefined)
    if (method === 'session/prompt') [open, asked] = [true, id]
    else if (method !== undefined) open ||= !host && speaks && !isChild
    else if (answers && (!host || (id === asked && from !== 'client'))) open = false
  }
  const agent = isHeard('session/update') || messages.some(([{ result }]) => result?.['protocolVersion'] !== undefined)
  return Number(open && agent)
}

/** How many ends a stream lacks: counted from the records that open and close, without the dialect's own rules. */
function missingEnds(records: readonly Rec[], dialect: DialectName): number {
  if (dialect === 'opencode') return opencodeOpen(records)
  if (dialect === 'acp') return acpOpen(records)
  const open = new Map<unknown, number>()
  const add = (key: unknown, by: number): void => void open.set(key, (open.get(key) ?? 0) + by)
  for (const record of records) {
    switch (dialect) {
      case 'appctl':
        if (record['kind'] === 'user_prompt') add('', 1)
        if (record['kind'] === 'done') add('', -1)
        break
      case 'sluice':
        if (record['kind'] === 'session.start') add(record['session'], 1)
        if (record['kind'] === 'session.end') add(record['session'], -1)
        break
      case 'aictrl':
        if (record['type'] === 'session_start') add(record['sessionID'], 1)
        if (record['type'] === 'session_complete') add(record['sessionID'], -1)
        break
      case 'codex': {
        const { type, method, payload, params } = (record['message'] ?? record) as { [key: string]: Rec }
        const name = (payload?.['type'] ?? type ?? method) as string
        const where = method === undefined ? (payload === undefined ? 'exec' : 'file') : params?.['threadId']
        if (/^(turn.started|task_started)$/.test(name)) open.set(where, 1)
        if (/^(turn.completed|turn.failed|task_complete|turn_complete|turn_aborted)$/.test(name)) open.set(where, 0)
        break
      }
      case 'gemini':
        if (record['type'] === 'init') open.set('', 1)
        if (record['type'] === 'result') open.set('', 0)
        break
      case 'claude':
        if (record['subtype'] === 'init') add(record['session_id'], 1)
        if (record['type'] === 'result') add(record['session_id'], -1)
        break
      case 'copilot':
        open.set('', record['type'] === 'result' || record['type'] === 'session.shutdown' ? 0 : 1)
        break
      case 'avenor':
        if (record['event'] === 'avenor.loop.start') add('loop', 1)
        else if (record['event'] === 'avenor.loop.end') add('loop', -1)
        else if (
          record['event'] !== 'avenor.retry' &&
          record['session_id'] !== undefined &&
          Object.hasOwn(dialects.avenor.shapes.checks, String(record['event']))
        ) {
          open.set(record['session_id'], record['event'] === 'session.end' ? 0 : 1)
        }
    }
  }
  return [...open.values()].filter((count) => count > 0).length
}

suite('a cut stream lacks its ends and nothing else', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(80, (seed, random) => {
        const records = cutStream(legalStream(dialect, seed), random)
        const codes = findingsOf(linesOf(records), dialect).map(({ code }) => code)
        assert.deepEqual(
          codes,
          Array.from({ length: missingEnds(records, dialect) }, () => 'missing-end'),
        )
      }),
    )
  }
})

suite('a broken stream is found out', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(80, (seed, random) => {
        const broken = breakStream(legalStream(dialect, seed), dialect, random)
        assert(broken !== undefined, 'no place for a change')
        const findings = findingsOf(linesOf(broken.records), dialect)
        assert(
          findings.some(({ code }) => code === broken.code),
          `${broken.what}: no ${broken.code} in ${JSON.stringify(told(findings))}`,
        )
        for (const { code, rule } of findings) assert(rule !== code, `${code} has no sentence`)
      }),
    )
  }
})

suite('a finding does not depend on how the bytes are cut', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(10, (seed, random) => {
        const bytes = noisy(bytesOf(linesOf(breakStream(legalStream(dialect, seed), dialect, random)?.records ?? [])), random)
        assert.deepEqual(findingsOf(chunksOf(bytes, random), dialect), findingsOf(bytes, dialect))
      }),
    )
  }
})

suite('repair', () => {
  const repaired = (records: readonly Rec[], dialect: DialectName): string =>
    validate(linesOf(records), { dialect, repair: true }).repaired ?? ''
  for (const dialect of names) {
    test(`${dialect}: a legal stream stays as it is`, () =>
      holds(20, (seed) => {
        const records = legalStream(dialect, seed)
        assert.equal(repaired(records, dialect), linesOf(records))
      }))

    test(`${dialect}: a cut stream becomes legal, what was added says so, the rest stays`, () =>
      holds(60, (seed, random) => {
        const records = cutStream(legalStream(dialect, seed), random)
        const text = repaired(records, dialect)
        assert.deepEqual(told(findingsOf(text, dialect).filter(({ severity }) => severity === 'error')), [])
        const kept = text.split(/(?<=\n)/).filter((line) => (JSON.parse(line) as Rec)['synthetic'] === undefined)
        assert.equal(kept.join(''), linesOf(records))
      }))

    test(`${dialect}: repairing twice changes nothing more`, () =>
      holds(15, (seed, random) => {
        const once = repaired(cutStream(legalStream(dialect, seed), random), dialect)
        assert.equal(validate(once, { dialect, repair: true }).repaired, once)
      }))
  }
})
