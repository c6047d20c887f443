// A milestone or finding in one line, for a person who gets it on a telephone.
import { beginning } from '../analyze/excerpt.ts'
import { noteOf } from '../analyze/notes.ts'
import { subjectOf } from '../analyze/subject.ts'
import type { Event, Fault } from '../model/event.ts'

const longest = 300

export const headlineOf = (event: Event): string => beginning(saidOf(event), longest)

function saidOf(event: Event): string {
  switch (event.kind) {
    case 'text.delta':
    case 'text.end':
    case 'thought.delta':
    case 'thought.end':
    case 'prompt.submit':
      return event.text ?? event.kind
    case 'tool.start':
      return `${event.name} ${event.title ?? subjectOf(event)}`
    case 'tool.update':
      return event.title ?? event.state
    case 'tool.end':
      return `${event.name ?? event.title ?? 'the call'} ended: ${event.status}`
    case 'permission.request':
      return event.question ?? `may it? ${event.name ?? event.permission ?? ''} ${(event.patterns ?? []).join(' ')}`
    case 'question.request':
      return event.questions.map(({ text }) => text).join(' ')
    case 'task.end':
      return `task ended: ${event.status}${because(event.error)}`
    case 'turn.end':
      return `turn ended: ${event.reason}${because(event.error)}`
    case 'session.end':
      return `session ended: ${event.reason}${because(event.error)}`
    case 'run.end':
      return `run ended: ${event.reason}`
    case 'status.update':
      return event.label === undefined ? event.phase : `${event.phase}: ${event.label}`
    default:
      return noteOf(event)?.text ?? event.kind
  }
}

const because = (error: Fault | undefined): string => (error === undefined ? '' : `: ${error.text}`)
