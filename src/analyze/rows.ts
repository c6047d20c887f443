// Events → timeline rows. One pass, no look-ahead: what is open is told as open and again when it has ended, so that a live
// stream and a recording are shown by the same code. Memory holds only what is open.
import { isRecord } from '../base/json.ts'
import type { Event, EventOf } from '../model/event.ts'
import { outcomeOf, toolFailed } from '../model/outcome.ts'
import { isScripted } from '../model/scripted.ts'
import { changesOf, isDiffBlock } from './changes.ts'
import { beginning } from './excerpt.ts'
import { customRecord, fieldsText } from './fields.ts'
import { noteOf } from './notes.ts'
import type { AskRow, CallRow, Lane, PlanRow, Row, TaskRow } from './row.ts'
import { createScripted, type ScriptedFold } from './scripted.ts'
import { between } from './snapshot.ts'
import { subjectOf, todosIn } from './subject.ts'
import { createWaiting, type Waiting } from './waiting.ts'

type Said = 'text' | 'thought'
type Entry = PlanRow['entries'][number]
const longestTitle = 120 // of a lane, in characters: it is kept as long as the session
type Open<R> = { row: R; at: number | undefined }

/** What is open in one session. */
type State = {
  lanes: Map<string, Lane & { depth: number }>
  calls: Map<string, { row: CallRow } & { paths: readonly string[] | undefined; early?: readonly unknown[] }> // `early`: diffs it showed
  tasks: Map<string, Open<TaskRow> & { call: string | undefined }> // `call`: the open call that spawned it, which is on the screen
  asks: Map<string, AskRow>
  plan: readonly Entry[] // as it was last told
  said: Map<string, Record<Said, string>> // by agent, what its open blocks have said so far
  prompt: { event: EventOf<'prompt.submit'>; texts: string[] } | undefined
  shown: string | undefined // the id of the last prompt
  turns: number
  workedMs: number // the turns' own account, since few events of some sources have a time
  startedAt: number | undefined
  turnAt: number | undefined
  scripted: ScriptedFold
  waiting: Waiting
}

const newState = (at: number | undefined): State => ({
  lanes: new Map(),
  calls: new Map(),
  tasks: new Map(),
  asks: new Map(),
  plan: [],
  said: new Map(),
  prompt: undefined,
  shown: undefined,
  turns: 0,
  workedMs: 0,
  startedAt: at,
  turnAt: undefined,
  scripted: createScripted(),
  waiting: createWaiting(),
})

export type Timeline = { push(event: Event): Row[] }

export function createTimeline(): Timeline {
  const sessions = new Map<string | undefined, State>()
  let last: { session: string | undefined; state: State } | undefined // most events are of the session of the one before
  let rows: Row[] = []

  function stateOf({ session, at }: Event): State {
    if (last === undefined || last.session !== session) {
      let state = sessions.get(session)
      if (state === undefined) sessions.set(session, (state = newState(at)))
      last = { session, state }
    }
    last.state.startedAt ??= at
    return last.state
  }

  return {
    push(event) {
      rows = []
      const state = stateOf(event)
      if (state.prompt !== undefined && !(event.kind === 'prompt.submit' && event.partial === true)) flushPrompt(state)
      state.scripted.push(event)
      state.waiting.push(event)
      take(state, event)
      if (event.kind === 'session.end') {
        sessions.delete(event.session)
        last = undefined
      }
      return rows
    },
  }

  function place(state: State, { seq, at, session, agent }: Event, id = `e${seq}`) {
    if (agent === undefined) return { id, seq, at, session, agent, depth: 0, lane: undefined }
    const lane = state.lanes.get(agent)
    return { id, seq, at, session, agent, depth: lane?.depth ?? 1, lane }
  }

  function take(state: State, event: Event): void {
    switch (event.kind) {
      case 'session.start': {
        const { program, version, model, cwd, mode, how } = event
        const scripted = isScripted(event) || undefined
        if (event.synthetic === undefined || event.session !== undefined)
          rows.push({ ...place(state, event), type: 'start', program, version, model, scripted, cwd, mode, how })
        return
      }
      case 'session.end':
        return sessionEnd(state, event)
      case 'run.end':
        rows.push({
          ...place(state, event),
          type: 'end',
          of: 'run',
          reason: event.reason,
          outcome: outcomeOf(event.reason),
          turns: event.iterations ?? 0,
          durationMs: event.durationMs,
        })
        return
      case 'turn.start':
        state.turns = Math.max(state.turns + 1, event.turn ?? 0)
        state.turnAt = event.at
        return
      case 'turn.end':
        return turnEnd(state, event)
      case 'prompt.submit':
        return prompt(state, event)
      case 'text.delta':
        saidBy(state, event.agent).text += event.text
        return
      case 'thought.delta':
        saidBy(state, event.agent).thought += event.text
        return
      case 'text.end':
      case 'thought.end': {
        const said = event.kind === 'text.end' ? 'text' : 'thought'
        const lane = state.said.get(event.agent ?? '')
        const text = event.text ?? lane?.[said] ?? ''
        if (lane !== undefined) lane[said] = ''
        const redacted = event.kind === 'thought.end' && event.redacted === true && text === ''
        if (text.trim() !== '') rows.push({ ...place(state, event), type: said, text })
        else if (redacted)
          rows.push({ ...place(state, event), type: 'note', level: 'info', label: 'thought', text: 'redacted by the provider' })
        return
      }
      case 'message.drop':
        state.said.delete(event.agent ?? '')
        break
      case 'tool.start':
        return toolStart(state, event)
      case 'tool.update':
        return toolUpdate(state, event)
      case 'tool.end':
        return toolEnd(state, event)
      case 'task.start':
        return taskStart(state, event)
      case 'task.end':
        return taskEnd(state, event)
      case 'permission.request':
      case 'question.request':
        return ask(state, event)
      case 'permission.answer':
      case 'question.answer':
        return answer(state, event)
      case 'plan.update':
        return plan(state, event, event.entries)
      case 'raw': {
        const custom = customRecord(event)
        if (custom !== undefined)
          return void rows.push({ ...place(state, event), type: 'note', level: 'info', label: event.type, text: fieldsText(custom) })
        break
      }
      case 'file.update':
      case 'skill.load':
        if (isToldByCall(state, event)) return
    }
    const note = noteOf(event)
    if (note !== undefined) rows.push({ ...place(state, event), type: 'note', ...note })
  }

  // ── sessions and turns ─────────────────────────────────────────────────────────────────────────────────────────────────

  function sessionEnd(state: State, event: EventOf<'session.end'>): void {
    for (const { row } of state.calls.values()) rows.push({ ...row, open: undefined, seq: event.seq, status: 'abandoned', failed: true })
    const seen = Math.max(state.workedMs, between(state.startedAt, event.at) ?? 0)
    rows.push({
      ...place(state, event),
      type: 'end',
      of: 'session',
      reason: event.reason,
      outcome: outcomeOf(event.reason),
      turns: state.turns,
      durationMs: event.durationMs ?? (seen > 0 ? seen : undefined),
      scripted: state.scripted.session() || undefined,
      error: event.error,
    })
  }

  function turnEnd(state: State, event: EventOf<'turn.end'>): void {
    const durationMs = event.durationMs ?? between(state.turnAt, event.at)
    state.workedMs += durationMs ?? 0
    const { reason, usage, cost, error, turn = state.turns } = event
    const outcome = event.failed === true || error !== undefined ? 'failed' : outcomeOf(reason)
    const scripted = state.scripted.turn() || undefined
    rows.push({ ...place(state, event), type: 'turn', turn, reason, outcome, usage, cost, scripted, error, durationMs })
  }

  function prompt(state: State, event: EventOf<'prompt.submit'>): void {
    if (event.partial === true) {
      state.prompt ??= { event, texts: [] }
      state.prompt.texts.push(event.text ?? '')
      return
    }
    if (event.id !== undefined && event.id === state.shown) return // told when it was sent, and again when it was seen
    state.shown = event.id
    showPrompt(state, event, event.text)
  }

  function flushPrompt(state: State): void {
    const { event, texts } = state.prompt!
    state.prompt = undefined
    showPrompt(state, event, texts.join(''))
  }

  function showPrompt(state: State, event: EventOf<'prompt.submit'>, said: string | undefined): void {
    const text = said ?? (event.bytes === undefined ? '' : `(${event.bytes} bytes)`)
    if (text === '' && event.content === undefined) return
    rows.push({ ...place(state, event), type: 'prompt', by: event.by, text: text === '' ? '(no text)' : text })
  }

  // ── calls and tasks ────────────────────────────────────────────────────────────────────────────────────────────────────

  function toolStart(state: State, event: EventOf<'tool.start'>): void {
    const { name, toolKind, input, call } = event
    const row: CallRow = { ...place(state, event, call), type: 'call', name, toolKind, subject: subjectOf(event), input, open: true }
    rows.push(row)
    const entries = toolKind === 'plan' ? todosIn(input) : undefined
    if (entries !== undefined) plan(state, event, entries, `${row.id} plan`)
    if (call !== undefined) state.calls.set(call, { row, paths: event.paths })
  }

  /** A plan may be told by the call that writes it and again when it is written. */
  function plan(state: State, event: Event, entries: readonly Entry[], id?: string): void {
    if (isSamePlan(state.plan, entries)) return
    state.plan = entries
    rows.push({ ...place(state, event, id), type: 'plan', entries })
  }

  /** Only what is worth a line: the input of a call that was announced without it. */
  function toolUpdate(state: State, event: EventOf<'tool.update'>): void {
    const open = event.call === undefined ? undefined : state.calls.get(event.call)
    if (open === undefined) return
    const { row } = open
    const input = event.input ?? row.input
    const toolKind = event.toolKind ?? row.toolKind
    const subject = subjectOf({ toolKind, title: event.title, input, paths: event.paths }) || row.subject
    open.paths = event.paths ?? open.paths
    open.row = { ...row, input, toolKind, subject }
    if (event.content !== undefined && changesFiles(toolKind) && event.content.some(isDiffBlock)) open.early = event.content
    if (subject !== row.subject) rows.push({ ...open.row, seq: event.seq, at: event.at })
  }

  function toolEnd(state: State, event: EventOf<'tool.end'>): void {
    const { call, status, exitCode, text, content, data, error } = event
    const open = call === undefined ? undefined : state.calls.get(call)
    if (call !== undefined) state.calls.delete(call)
    const base: CallRow = open?.row ?? {
      ...place(state, event, call),
      type: 'call',
      name: event.name ?? '',
      toolKind: event.toolKind ?? 'other',
      subject: event.title ?? '',
    }
    const { input, toolKind } = base
    const changes =
      status === 'ok' && changesFiles(toolKind) ? changesOf({ input, data, content, early: open?.early, paths: open?.paths }) : []
    rows.push({
      ...base,
      open: undefined,
      seq: event.seq,
      at: event.at,
      status,
      failed: toolFailed(event),
      exitCode,
      durationMs: state.waiting.took(event),
      output: text ?? error?.text ?? joinedText(content) ?? base.output,
      changes: changes.length > 0 ? changes : undefined,
    })
  }

  function taskStart(state: State, event: EventOf<'task.start'>): void {
    const where = place(state, event, event.task)
    const caller = event.call === undefined ? undefined : state.calls.get(event.call)?.row
    const call = caller && event.call
    const row: TaskRow = {
      ...where,
      type: 'task',
      title: event.title ?? event.prompt ?? event.task,
      agentType: event.agentType,
      open: true,
    }
    const title = caller === undefined ? `${row.agentType ?? 'task'} ${row.title}` : `${caller.name} ${caller.subject}`
    state.lanes.set(event.task, { depth: where.depth + 1, title: beginning(title, longestTitle), call })
    state.tasks.set(event.task, { row, at: event.at, call })
    if (call === undefined) rows.push(row)
  }

  function taskEnd(state: State, event: EventOf<'task.end'>): void {
    const open = state.tasks.get(event.task)
    state.tasks.delete(event.task)
    if (open === undefined || (open.call !== undefined && state.calls.has(open.call))) return
    const durationMs = between(open.at, event.at)
    rows.push({ ...open.row, open: undefined, seq: event.seq, at: event.at, status: event.status, text: event.text, durationMs })
  }

  // ── questions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function ask(state: State, event: EventOf<'permission.request'> | EventOf<'question.request'>): void {
    const row: AskRow =
      event.kind === 'permission.request'
        ? {
            ...place(state, event, `ask ${event.id}`),
            type: 'ask',
            about: 'permission',
            name: event.name ?? event.permission,
            question:
              event.question ?? subjectOf({ toolKind: event.toolKind ?? 'other', input: event.input, paths: pathsOf(state, event) }),
            unasked: event.synthetic === 'required' ? true : undefined,
            open: true,
          }
        : {
            ...place(state, event, `ask ${event.id}`),
            type: 'ask',
            about: 'question',
            question: event.questions.map(({ text }) => text).join(' · '),
            open: true,
          }
    state.asks.set(event.id, row)
    rows.push(row)
  }

  function answer(state: State, event: EventOf<'permission.answer'> | EventOf<'question.answer'>): void {
    const asked = event.id === undefined ? undefined : state.asks.get(event.id)
    if (event.id !== undefined) state.asks.delete(event.id)
    const { decision, by, seq, at, text } = event
    const row: AskRow = asked ?? {
      ...place(state, event),
      type: 'ask',
      about: event.kind === 'permission.answer' ? 'permission' : 'question',
      ...(event.kind === 'permission.answer'
        ? {
            name: event.name ?? event.permission,
            question: subjectOf({ toolKind: event.toolKind ?? 'other', input: event.input }),
            unasked: true,
          }
        : { question: '' }),
    }
    const call = event.call === undefined ? undefined : state.calls.get(event.call)
    if (call !== undefined && row.unasked && decision !== 'allow') call.row = { ...call.row, refusedBy: by, output: text }
    const answers = event.kind === 'question.answer' && event.answers !== undefined ? Object.values(event.answers).join(' · ') : text
    rows.push({ ...row, open: undefined, seq, at, decision, by, answer: answers, call: call && event.call })
  }
}

/** A call shows the file that it changes and the skill that it loads. */
function isToldByCall({ calls }: State, { call, kind }: Event): boolean {
  const toolKind = call === undefined ? undefined : calls.get(call)?.row.toolKind
  return toolKind !== undefined && (kind === 'skill.load' ? toolKind === 'skill' : toolKind !== 'other' && changesFiles(toolKind))
}

/** Of the call that it is about. */
const pathsOf = ({ calls }: State, { call }: Event): readonly string[] | undefined =>
  call === undefined ? undefined : calls.get(call)?.paths

const isSamePlan = (a: readonly Entry[], b: readonly Entry[]): boolean =>
  a.length === b.length && a.every(({ text, status }, index) => text === b[index]!.text && status === b[index]!.status)

function saidBy(state: State, agent = ''): Record<Said, string> {
  let said = state.said.get(agent)
  if (said === undefined) state.said.set(agent, (said = { text: '', thought: '' }))
  return said
}

const changesFiles = (kind: string): boolean => kind === 'edit' || kind === 'other' || kind === 'move' || kind === 'delete'

function joinedText(content: readonly unknown[] | undefined): string | undefined {
  const texts = content?.flatMap((block) => textOf(block) ?? (isRecord(block) ? textOf(block['content']) : undefined) ?? []) ?? []
  return texts.length === 0 ? undefined : texts.join('\n')
}

/** A block may be anything: what a result holds is the tool's own. */
const textOf = (block: unknown): string | undefined => (isRecord(block) && typeof block['text'] === 'string' ? block['text'] : undefined)
