// A call that the agent made though a rule, a gate or a person's answer was against it: it went on in spite of the answer, or never asked.
// Nobody can take the call back, so the stream reports it, and a broken deny rule or gate ends the run.
import { quoted } from '../base/text.ts'
import type { Event, EventOf } from '../model/event.ts'
import { faultOf } from '../model/fault.ts'
import type { Policy, PolicyAction } from './policy.ts'

export const deniedButRan = 'denied-but-ran'

const maxKept = 1000 // open calls, and calls that were answered and have no result yet
const nothing: readonly PolicyAction[] = []

/** Why the call must not be made, in words. `ends`: a deny rule or a gate says so, and the run ends. */
export type Against = { text: string; ends: boolean }

export type DeniedButRanSettings = {
  /** What stands against a call that the agent made without asking. */
  against?(call: EventOf<'tool.start'>): Against | undefined
  /** Tells people beside the stream. */
  report?(text: string): void
}

export function createDeniedButRan({ against, report }: DeniedButRanSettings = {}): Policy {
  const answers = bounded<EventOf<'permission.answer'>>()
  const calls = bounded<EventOf<'tool.start'>>()

  function whyNot(key: string): Against | undefined {
    const answer = answers.get(key)
    if (answer?.decision === 'allow') return undefined
    const call = calls.get(key)
    if (answer === undefined) return call === undefined ? undefined : against?.(call)
    const rule = answer.by === 'rule'
    const stands = call === undefined ? undefined : against?.(call)
    return stands ?? { text: rule ? 'a rule denies it' : 'it was refused', ends: rule }
  }

  function ended(event: EventOf<'tool.end'>): readonly PolicyAction[] {
    const key = keyOf(event)
    const why = hasRun(event) ? whyNot(key) : undefined
    const name = answers.get(key)?.name ?? calls.get(key)?.name ?? 'a tool'
    answers.delete(key)
    calls.delete(key)
    if (why === undefined) return nothing
    const text = `the agent made a call of ${quoted(name)} although ${why.text}; check what it did`
    report?.(text)
    const error = faultOf(text, { code })
    const told: PolicyAction = { type: 'error', error: { scope: 'turn', fatal: why.ends, error, source: 'permission' } }
    return why.ends ? [told, { type: 'stop', reason: 'error', text, code, when: 'now' }] : [told]
  }

  return {
    deaf: true,
    step(event) {
      if (event.call === undefined) return nothing
      switch (event.kind) {
        case 'permission.answer':
          answers.set(keyOf(event), event)
          return nothing
        case 'tool.start':
          if (against !== undefined) calls.set(keyOf(event), event)
          return nothing
        case 'tool.update': {
          const call = calls.get(keyOf(event))
          if (call !== undefined && event.input !== undefined) calls.set(keyOf(event), { ...call, input: event.input })
          return nothing
        }
        case 'tool.end':
          return ended(event)
        default:
          return nothing
      }
    },
  }
}

const code = deniedButRan

const keyOf = ({ session, call }: Event): string => `${session ?? ''}\0${call ?? ''}`

/** A command that failed with an exit code has run, too. */
const hasRun = ({ status, exitCode }: EventOf<'tool.end'>): boolean => status === 'ok' || (status === 'error' && exitCode !== undefined)

/** Forgets the oldest. */
function bounded<T>(): Map<string, T> {
  const map = new Map<string, T>()
  const set = map.set.bind(map)
  map.set = (key, value) => {
    map.delete(key)
    set(key, value)
    if (map.size > maxKept) map.delete(map.keys().next().value!)
    return map
  }
  return map
}
