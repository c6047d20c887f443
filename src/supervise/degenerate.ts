// Thoughts that have become noise: a provider's control tokens leak into them, or they go on in single hex digits. The run is stopped
// before the noise has used up the budget, with the numbers that show it.
import type { Event, Kind, Payload } from '../model/event.ts'
import type { Policy, PolicyAction } from './policy.ts'

const tokens = [
  ...['channel', 'constrain', 'message', 'end', 'start', 'endoftext', 'begin_of_text', 'eot', 'python_tag', '/tool_call'].map(
    (name) => `<|${name}`,
  ),
  '<tool_call',
]
const longestToken = Math.max(...tokens.map(({ length }) => length))
const hexRun = 256
const windowSize = 2048
const mostLanes = 256
const longestShown = 80 // bytes

export type Diagnostics = {
  abort_signal: 'control_token' | 'hex_run'
  /** Pieces of thought in this model turn; empty ones do not count. */
  observed_total: number
  hex_total: number
  /** Of the last pieces: single hex digits, and all others. */
  hex_in_window: number
  window_size: number
  consecutive_hex: number
  progress_in_window: number
}
type Trip = { text: string; data: Diagnostics }

export type Guard = { see(piece: string): Trip | undefined; endBlock(): void }

/** The thoughts of one model turn. A window of nothing but hex digits needs no rule of its own: the run is found long before. */
export function createGuard(): Guard {
  const window = new Uint8Array(windowSize) // 1: a hex digit
  let total = 0
  let windowed = 0
  let hexTotal = 0
  let hexInWindow = 0
  let run = 0
  let held = '' // the end of the text so far, where it may begin a token

  const trip = (signal: Diagnostics['abort_signal'], what: string): Trip => ({
    text: `degenerate reasoning stream: ${what}`,
    data: {
      abort_signal: signal,
      observed_total: total,
      hex_total: hexTotal,
      hex_in_window: hexInWindow,
      window_size: windowSize,
      consecutive_hex: run,
      progress_in_window: Math.min(windowed, windowSize) - hexInWindow,
    },
  })

  return {
    see(piece) {
      if (piece === '') return undefined
      total++
      if (held !== '' || piece.includes('<')) {
        const text = held + piece
        if (tokens.some((token) => text.includes(token))) return trip('control_token', `provider control token leakage (${cut(text)})`)
        held = beginningIn(text)
      }
      const hex = isHexDigit(piece) ? 1 : 0
      const at = windowed++ % windowSize
      hexInWindow += hex - window[at]!
      window[at] = hex
      hexTotal += hex
      run = hex === 1 ? run + 1 : 0
      return run >= hexRun ? trip('hex_run', `${run} consecutive single-character hex deltas`) : undefined
    },
    endBlock: () => void (held = ''),
  }
}

/** Every lane of every session. The piece that shows it, and all that comes after it in its session, is not passed on. */
export function createDegenerate(): Policy {
  const guards = new Map<string, Guard>()
  const models = new Map<string, string>()
  const tripped = new Set<string | undefined>()

  function guardOf(key: string): Guard {
    let guard = guards.get(key)
    if (guard !== undefined) return guard
    if (guards.size >= mostLanes) guards.delete(guards.keys().next().value!)
    guards.set(key, (guard = createGuard()))
    return guard
  }

  function see(event: Event, piece: string): readonly PolicyAction[] {
    if (tripped.has(event.session)) return dropped
    const key = keyOf(event)
    const found = guardOf(key).see(piece)
    if (found === undefined) return none
    tripped.add(event.session)
    return told(found, models.get(key) ?? models.get(keyOf({ session: event.session })))
  }

  return {
    deaf: true,
    step(event) {
      if (!isWatched.has(event.kind)) return none // most are pieces of an answer
      const key = keyOf(event)
      switch (event.kind) {
        case 'thought.delta':
          return see(event, event.text)
        case 'thought.end':
          if (!event.streamed && event.text !== undefined) return see(event, event.text)
          guards.get(key)?.endBlock()
          return tripped.has(event.session) && event.text !== undefined ? dropped : none
        case 'session.start':
        case 'session.update':
        case 'message.start':
          if (event.model !== undefined) hold(models, key, event.model)
          if (event.kind === 'message.start') guards.delete(key)
          return none
        case 'message.end':
        case 'turn.start':
        case 'turn.end':
          guards.delete(key)
          return none
        case 'session.end':
          tripped.delete(event.session)
          models.delete(key)
          guards.delete(key)
          return none
        default:
          return none
      }
    },
  }
}

const isWatched: ReadonlySet<Kind> = new Set([
  'thought.delta',
  'thought.end',
  'session.start',
  'session.update',
  'session.end',
  'message.start',
  'message.end',
  'turn.start',
  'turn.end',
])
const none: readonly PolicyAction[] = []
const dropped: readonly PolicyAction[] = [{ type: 'drop' }]

/** The error and the end say the same, so that a reader knows them for one. */
function told({ text, data }: Trip, model: string | undefined): PolicyAction[] {
  const code = 'degenerate_reasoning_stream'
  const error: Payload<'error'> = {
    scope: 'session',
    fatal: true,
    error: { category: 'provider', text, code },
    source: 'loop',
    data,
    ...(model !== undefined && { model }),
  }
  return [...dropped, { type: 'error', error }, { type: 'stop', reason: 'degenerate', text, code, when: 'now' }]
}

const keyOf = ({ session = '', agent = '' }: Pick<Event, 'session' | 'agent'>): string => `${session}\0${agent}`

function hold(map: Map<string, string>, key: string, value: string): void {
  if (map.size >= mostLanes && !map.has(key)) map.delete(map.keys().next().value!)
  map.set(key, value)
}

const isHexDigit = (piece: string): boolean => piece.length === 1 && /[0-9a-f]/i.test(piece)

function beginningIn(text: string): string {
  const from = text.lastIndexOf('<')
  const end = from < 0 || text.length - from >= longestToken ? '' : text.slice(from)
  return end !== '' && tokens.some((token) => token.startsWith(end)) ? end : ''
}

/** Within so many bytes, and no character in halves. */
function cut(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, longestShown + 1))
  if (bytes.length <= longestShown) return text
  return `${new TextDecoder().decode(bytes.subarray(0, longestShown), { stream: true })}…`
}
