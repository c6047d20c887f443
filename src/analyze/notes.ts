// Events that are worth one line beside the conversation, and the line.
import type { Event } from '../model/event.ts'
import { isScripted, modelText } from '../model/scripted.ts'
import { plural } from '../base/text.ts'
import type { NoteRow } from './row.ts'

type Note = Pick<NoteRow, 'level' | 'label' | 'text'>

export function noteOf(event: Event): Note | undefined {
  switch (event.kind) {
    case 'session.update': {
      const { model, mode, title, cwd } = event
      const said = [model && modelText(model, isScripted(event)), mode && `mode ${mode}`, title && `“${title}”`, cwd].filter(
        (part) => typeof part === 'string',
      )
      return said.length === 0 || event.synthetic !== undefined ? undefined : info('session', said.join(' · '))
    }
    case 'run.start':
      return info('loop', event.maxIterations === undefined ? 'starts' : `starts, at most ${plural(event.maxIterations, 'iteration')}`)
    case 'phase.start':
      return info('phase', `${event.name}, iteration ${event.iteration}`)
    case 'phase.end':
      return info('phase', `${event.name} ended: ${event.reason}${event.marker === undefined ? '' : ` (marker ${event.marker.type})`}`)
    case 'message.drop':
      return warn('withdrawn', event.why === 'refused' ? 'the answer was refused' : `the answer so far does not count: ${event.why}`)
    case 'content.end':
      return info(event.type, event.uri ?? event.mime ?? '')
    case 'file.update':
      // A patch alone is that of the whole turn, told again and again; the calls have shown it.
      return event.changes === undefined
        ? undefined
        : info('files', event.changes.map(({ path, change }) => `${change} ${path}`).join(' · '))
    case 'skill.load':
      return event.level === 'loaded' ? info('skill', event.name) : undefined
    case 'catalog.update': {
      const down = (event.servers ?? []).filter(({ status, error }) => error !== undefined || /fail|error|disconnect/i.test(status))
      return down.length === 0
        ? undefined
        : warn('servers', down.map(({ name, error, status }) => `${name}: ${error ?? status}`).join(' · '))
    }
    case 'context.trim': {
      const size = event.before === undefined ? '' : `, ${event.before} → ${event.after ?? '?'} tokens`
      return warn(event.why === 'compact' ? 'compacted' : 'trimmed', `${event.trigger ?? 'the history was shortened'}${size}`)
    }
    case 'retry.start': {
      const count = event.max === undefined ? `${event.attempt}` : `${event.attempt} of ${event.max}`
      const wait = event.delayMs === undefined ? '' : `, after ${Math.round(event.delayMs)} ms`
      return warn('retry', `${count}${wait}${event.error === undefined ? '' : `: ${event.error.text}`}`)
    }
    case 'cancel.request':
      return warn('cancel', `${event.target} by ${event.by}${event.text === undefined ? '' : `: ${event.text}`}`)
    case 'hook.end':
      return event.status === 'ok' ? undefined : warn('hook', `${event.status}${event.text === undefined ? '' : `: ${event.text}`}`)
    case 'report':
      return info('report', [event.type, event.state, event.status, event.to, event.text].filter((part) => part !== undefined).join(' · '))
    case 'usage.update': {
      const near = (event.limits ?? []).filter(({ state }) => state !== 'ok')
      return near.length === 0 ? undefined : warn('limit', near.map(({ name, state }) => `${name}: ${state}`).join(' · '))
    }
    case 'error':
      return { level: event.fatal ? 'error' : 'warn', label: 'error', text: event.error.text }
    case 'notice':
      return { level: event.level, label: event.code ?? 'note', text: event.text }
    case 'issue':
      return { level: 'error', label: 'unreadable', text: `line ${event.line}, byte ${event.byte}: ${event.text}` }
    case 'raw':
      return event.why === 'unknown' ? info('unknown', event.type) : undefined
    default:
      return undefined
  }
}

const info = (label: string, text: string): Note => ({ level: 'info', label, text })
const warn = (label: string, text: string): Note => ({ level: 'warn', label, text })
