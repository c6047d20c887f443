// What the agent is doing, in one word and a label, for people and programs that only want to know that: told before the event that
// shows it, never twice in a row, and never after the end. What the agent says of itself in a marker counts as much as what we see.
import { rankOf } from '../analyze/track-status.ts'
import type { Event, EventOf, Payload } from '../model/event.ts'
import { createMarkers, type Marker, type MarkerOptions, type StatusMarker } from './markers.ts'

type Status = Payload<'status.update'>

const longest = 120 // characters of a label that we make

export type StatusPolicy = {
  /** What is to be written before this event. */
  step(event: Event): readonly Status[]
  /** A status of the agent that is not passed on: a better source has told one in this turn, or all is over. To be asked before `step`. */
  drops(event: Event): boolean
}

/** The first session that is told, and after its end the next. What a subagent does, or a session beside it, is theirs; their questions hold up the whole. */
export function createStatus(options?: MarkerOptions): StatusPolicy {
  const markers = createMarkers(options)
  const calls = new Map<string, string>() // running calls with their labels, the latest last
  const questions = new Map<string, string>()
  let last: Status | undefined
  let marked: StatusMarker | undefined // the agent's word, until something else shows
  let isThinking = false
  let isOver = false
  let rank = 0 // of the best source in this turn
  let main: string | undefined

  const isBeside = ({ agent, session }: Event): boolean =>
    agent !== undefined || (main !== undefined && session !== undefined && session !== main)

  function say(phase: Status['phase'], label?: string, source = 'avenor'): readonly Status[] {
    if (last?.phase === phase && last.label === label) return none
    last = { phase, ...(label === undefined ? {} : { label }), source }
    return [last]
  }

  /** A question beats all; else a better source than we are is not contradicted. */
  function current(): readonly Status[] {
    const question = lastOf(questions)
    if (question !== undefined) return say('waiting', question)
    if (rank > rankOf('avenor')) return none
    const call = lastOf(calls)
    if (call !== undefined) return say('working', call)
    if (marked !== undefined) return say(marked.phase, marked.label, 'agent')
    return isThinking ? say('thinking') : none
  }

  /** A question is answered: the agent works, on what it was at. What the question was is no word about that. */
  function goOn(): readonly Status[] {
    rank = 0
    return questions.size > 0 ? current() : say('working', lastOf(calls) ?? marked?.label)
  }

  function work(call: string | undefined, label: string): readonly Status[] {
    const id = call ?? label
    calls.delete(id)
    calls.set(id, cut(label))
    marked = undefined
    return current()
  }

  /** While a question is open, the agent's word waits. */
  function mark(marker: StatusMarker): readonly Status[] {
    marked = marker
    return questions.size > 0 || rank > rankOf('agent') ? none : say(marker.phase, marker.label, 'agent')
  }

  function hear({ phase, label, source }: EventOf<'status.update'>): void {
    if (rankOf(source) < rank) return
    rank = rankOf(source)
    last = { phase, ...(label === undefined ? {} : { label }), ...(source === undefined ? {} : { source }) }
  }

  function begin(): void {
    calls.clear()
    questions.clear()
    marked = undefined
    last = undefined
    isThinking = false
    isOver = false
    rank = 0
    main = undefined
  }

  function step(event: Event): readonly Status[] {
    if (event.kind === 'session.start' && isOver) begin()
    if (isOver) return none
    if (event.kind === 'session.start') main ??= event.session
    const found = isBeside(event) ? noMarkers : markers.step(event)
    return found.length === 0 ? show(event) : [...found.flatMap((marker) => (marker.type === 'status' ? mark(marker) : [])), ...show(event)]
  }

  function show(event: Event): readonly Status[] {
    switch (event.kind) {
      case 'permission.request':
        questions.set(event.id, cut(event.question ?? event.name ?? event.permission ?? ''))
        last = undefined // each question is announced, also one that looks like another
        return current()
      case 'question.request':
        questions.set(event.id, cut(event.questions[0]?.text ?? ''))
        return current()
      case 'permission.answer':
      case 'question.answer':
        return event.id !== undefined && questions.delete(event.id) ? goOn() : none
      case 'session.end':
        if (isBeside(event)) return none
        isOver = true
        last = undefined // that the agent called itself done was not the end
        return say('done')
      default:
        return isBeside(event) ? none : mainStep(event)
    }
  }

  function mainStep(event: Event): readonly Status[] {
    switch (event.kind) {
      case 'message.start':
        isThinking = true
        marked = undefined
        return last?.phase === 'thinking' ? none : current()
      case 'thought.delta':
      case 'text.delta':
        isThinking = true
        return last?.phase === 'thinking' || marked !== undefined ? none : current()
      case 'message.end':
        isThinking = false
        return none
      case 'tool.start':
        return work(event.call, event.title ?? event.name)
      case 'tool.update':
        return event.state === 'running' && event.title !== undefined && event.call !== undefined ? work(event.call, event.title) : none
      case 'tool.end':
        return event.call !== undefined && calls.delete(event.call) ? current() : none
      case 'turn.start':
        rank = 0
        return none
      case 'turn.end':
        calls.clear()
        marked = undefined
        isThinking = false
        return none
      case 'status.update':
        return (hear(event), none)
      default:
        return none
    }
  }

  return {
    step,
    drops: (event) => event.kind === 'status.update' && (isOver || (!isBeside(event) && rankOf(event.source) < rank)),
  }
}

const none: readonly Status[] = []
const noMarkers: readonly Marker[] = []

/** The newest; nearly always there is one at most. */
function lastOf(labels: ReadonlyMap<string, string>): string | undefined {
  let last: string | undefined
  if (labels.size > 0) for (const label of labels.values()) last = label
  return last
}

const cut = (label: string): string => {
  const line = label.replace(/\s+/g, ' ').trim()
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
