// Every event is a MILESTONE, a FINDING or ACTIVITY: what Avenor's document says of its records, for the events of every dialect.
// The surprise: it is stateful. A phrase may be split over several pieces of a text, and the piece that completes it is the finding.
import { isRecord, parseJson, type Rec } from '../base/json.ts'
import type { Event, EventOf } from '../model/event.ts'
import { toolFailed } from '../model/outcome.ts'
import { type Class, classOfKind, type Verdict } from './classes.ts'
import { type Reading, readOn, readWhole, startReading } from './phrases.ts'
import type { UserRules } from './rules.ts'
import { createMatcher } from './rules-match.ts'
import { commandIn } from './subject.ts'

export type { Class, Verdict }

export type ClassifierOptions = {
  /** Asked before the built-in rules; the first that matches decides. */
  rules?: UserRules | undefined
  /** The name of a record in its dialect (`dialect.tag`), for rules about the source's own names. */
  nameOf?: ((record: Rec) => string | undefined) | undefined
}

export type Classifier = {
  /** `record`: what the event was read from, for rules about the source's own names and fields. */
  push(event: Event, record?: Rec): Verdict
  /** The same for whoever knows already that it is a piece of a text. */
  piece(event: Piece, record?: Rec): Verdict
}
export type Piece = EventOf<'text.delta'> | EventOf<'thought.delta'>

/** What is open in one lane of one session: an answer, a thought, a prompt in pieces. */
type Lane = { session: string | undefined; agent: string | undefined; answer: Open; thought: Open; prompt: Open }
type Open = { message: string | undefined; reading: Reading }
/** `told`: its task is told by itself, so the end of the task is the milestone, not that of the call. */
type Call = 'commit' | 'task' | 'told'

const mostLanes = 1024
const mostCalls = 4096

export function createClassifier({ rules, nameOf }: ClassifierOptions = {}): Classifier {
  const lanes = new Map<string, Lane>()
  const calls = new Map<string, Call>() // open calls that matter
  const match = rules === undefined ? undefined : createMatcher(rules, nameOf)
  let recent: Lane | undefined

  /** Most events of a source that streams come this way. Pieces belong together as long as their message is the same. */
  function delta(event: Piece): Verdict {
    return said(event, readOn(readingOf(event), event.text))
  }

  function readingOf(event: Piece): Reading {
    const { session, agent, kind, message } = event
    const lane = recent !== undefined && recent.session === session && recent.agent === agent ? recent : laneOf(event)
    const open = kind === 'text.delta' ? lane.answer : lane.thought
    if (open.message !== message) reopen(open, message)
    return open.reading
  }

  function laneOf({ session, agent }: Event): Lane {
    if (recent !== undefined && recent.session === session && recent.agent === agent) return recent
    const key = keyOf(session, agent)
    recent = lanes.get(key)
    if (recent !== undefined) return recent
    if (lanes.size >= mostLanes) lanes.delete(lanes.keys().next().value!)
    lanes.set(key, (recent = { session, agent, answer: opened(), thought: opened(), prompt: opened() }))
    return recent
  }

  /** A whole text. One whose pieces were told says nothing new. A message without a name is over with it. */
  function whole(open: Open, event: EventOf<'text.end'> | EventOf<'thought.end'>): Verdict {
    if (event.message === undefined) reopen(open, undefined)
    return said(event, event.streamed || event.text === undefined ? undefined : readWhole(event.text))
  }

  function prompt(event: EventOf<'prompt.submit'>): Verdict {
    const { text, message, partial } = event
    if (text === undefined) return byKind(event)
    if (partial !== true) return said(event, readWhole(text))
    const open = laneOf(event).prompt
    if (open.message !== message) reopen(open, message)
    return said(event, readOn(open.reading, text))
  }

  function tool(event: ToolEvent): Verdict {
    if (event.kind === 'tool.start') note(event, importOf(event))
    const key = calls.size === 0 ? '' : keyOf(event.session, event.call)
    const call = calls.size === 0 ? undefined : calls.get(key)
    if (call !== undefined && event.kind === 'tool.end') calls.delete(key)
    if (isCommit(event)) return milestone('tool.git-commit')
    if (call === 'commit' && (event.kind === 'tool.start' || event.toolKind === 'edit')) return milestone('tool.commit')
    const isTask = call === 'task' || (call === undefined && event.toolKind === 'task')
    return event.kind === 'tool.end' && isTask && !toolFailed(event) ? milestone('tool.task') : byKind(event)
  }

  function note(event: Event, call: Call | undefined): void {
    if (call === undefined || event.call === undefined) return
    if (calls.size >= mostCalls) calls.delete(calls.keys().next().value!)
    calls.set(keyOf(event.session, event.call), call)
  }

  /** A lane that is over takes its open texts along. */
  function close(session: string | undefined, agent: string | undefined): void {
    lanes.delete(keyOf(session, agent))
    recent = undefined
  }

  function builtIn(event: Event, record: Rec | undefined): Verdict {
    switch (event.kind) {
      case 'text.delta':
      case 'thought.delta':
        return delta(event)
      case 'text.end':
        return whole(laneOf(event).answer, event)
      case 'thought.end':
        return whole(laneOf(event).thought, event)
      case 'prompt.submit':
        return prompt(event)
      case 'tool.start':
      case 'tool.update':
      case 'tool.end':
        return tool(event)
      case 'status.update':
        return event.phase === 'waiting' || event.phase === 'done' ? milestone(`status.${event.phase}`) : byKind(event)
      case 'raw':
      case 'issue':
        return unread(event, record)
      case 'task.start':
        note(event, 'told')
        break
      case 'task.end':
        close(event.session, event.task)
        break
      case 'message.drop':
      case 'turn.end':
      case 'session.end':
        close(event.session, event.agent)
        break
    }
    return byKind(event)
  }

  return {
    push(event, record) {
      const verdict = builtIn(event, record) // also when another rule decides: it must see every piece of a text
      return match === undefined ? verdict : (match(event, record) ?? verdict)
    },
    piece(event, record) {
      const verdict = delta(event)
      return match === undefined ? verdict : (match(event, record) ?? verdict)
    },
  }
}

const opened = (): Open => ({ message: undefined, reading: startReading() })
function reopen(open: Open, message: string | undefined): void {
  open.message = message
  open.reading = startReading()
}
const keyOf = (session: string | undefined, id: string | undefined): string => `${session ?? ''}\n${id ?? ''}`

// ── verdicts ─────────────────────────────────────────────────────────────
// Made once and shared: nothing is allocated for an event.

const verdicts = new Map<string, Verdict>()
function verdict(rule: string, itsClass: Class): Verdict {
  let known = verdicts.get(rule)
  if (known === undefined) verdicts.set(rule, (known = { class: itsClass, rule }))
  return known
}
const milestone = (rule: string): Verdict => verdict(rule, 'MILESTONE')
for (const [kind, itsClass] of Object.entries(classOfKind)) verdict(kind, itsClass)
const byKind = ({ kind }: Event): Verdict => verdicts.get(kind)!
const finding = (rule: string): Verdict => verdict(rule, 'FINDING')
const said = (event: Event, rule: string | undefined): Verdict => (rule === undefined ? byKind(event) : finding(rule))

// ── tools ────────────────────────────────────────────────────────────────

type ToolEvent = EventOf<'tool.start'> | EventOf<'tool.update'> | EventOf<'tool.end'>

/** Tools of Claude that look after tasks; a task is not over when one of them is. */
const tends: ReadonlySet<string> = new Set(['taskoutput', 'taskstop'])

/** Avenor's kind `commit` is an edit here; the call's name keeps the word. */
function importOf({ name, toolKind }: EventOf<'tool.start'>): Call | undefined {
  if (name.length === 6 && name.toLowerCase() === 'commit') return 'commit'
  return toolKind !== 'task' ? undefined : tends.has(name.toLowerCase()) ? 'told' : 'task'
}

const gitCommit = /git commit/i
const leastCommit = 'git commit'.length // most names and titles are shorter
const isGitCommit = (text: unknown): boolean => typeof text === 'string' && text.length >= leastCommit && gitCommit.test(text)
function isCommit(event: ToolEvent): boolean {
  const beside = event.ext?.['avenor']
  return (
    isGitCommit(event.title) ||
    (event.kind !== 'tool.update' && isGitCommit(event.name)) ||
    (event.kind !== 'tool.end' && isGitCommit(commandIn(event))) ||
    (isRecord(beside) && isGitCommit(beside['command']))
  )
}

// ── records that could not be told in other words ────────────────────────────────────────────

const milestones: ReadonlySet<unknown> = new Set([
  'session.end',
  'permission.request',
  'avenor.loop.start',
  'avenor.loop.end',
  'avenor.phase.end',
  'avenor.retry',
  'avenor.error',
])

/** Avenor's document goes by the name of a record: one that says something again, or lacks a field, counts all the same. */
function unread(event: EventOf<'raw'> | EventOf<'issue'>, record: Rec | undefined): Verdict {
  if (event.origin?.dialect !== 'avenor') return byKind(event)
  const name = event.kind === 'raw' ? event.type : event.code === 'bad-body' ? (record ?? recordIn(event.raw))?.['event'] : undefined
  if (milestones.has(name)) return milestone(`record.${name as string}`)
  // Only `done` is said again, after the end.
  return event.kind === 'raw' && name === 'agent.status' && event.why === 'redundant' ? milestone('status.done') : byKind(event)
}

function recordIn(raw: string | undefined): Rec | undefined {
  const record = raw === undefined ? undefined : parseJson(raw) // its body is bad, its JSON was read
  return isRecord(record) ? record : undefined
}
