// What an agent says about itself in lines of their own: `<|status: working | label|>`, `<|workflow: exit | label|>`, and the older
// forms in square brackets. Only a whole line counts, outside of code fences; the text may come in any pieces.
import type { Event, Payload } from '../model/event.ts'

export type StatusMarker = { type: 'status'; phase: (typeof markerPhases)[number]; label?: string }
export type WorkflowMarker = { type: (typeof directives)[number]; label?: string }
export type Marker = StatusMarker | WorkflowMarker

const markerPhases = ['thinking', 'working', 'waiting', 'done'] as const satisfies readonly Payload<'status.update'>['phase'][]
/** The strongest first. */
const directives = ['abort', 'exit', 'continue'] as const
const longest = 1000 // characters of a line that can be a marker
const none: readonly Marker[] = []

// ── one line ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function readMarker(line: string): Marker | undefined {
  const text = line.trim()
  const inside = insideOf(text)
  if (inside === undefined) return undefined
  const isOlder = text.startsWith('[')
  const bar = inside.indexOf('|')
  const head = (bar < 0 ? inside : inside.slice(0, bar)).trim().toLowerCase()
  const label = bar < 0 ? '' : inside.slice(bar + 1).trim()
  const colon = head.indexOf(':')
  const name = colon < 0 ? '' : head.slice(0, colon).trimEnd()
  const word = head.slice(colon + 1).trimStart()
  const labelled = label === '' ? {} : { label }
  if (name === 'status') {
    const phase = markerPhases.find((one) => one === word)
    return phase && { type: 'status', phase, ...labelled }
  }
  const isBare = isOlder && colon < 0 && word !== 'continue'
  const type = isBare || name === (isOlder ? 'loop' : 'workflow') ? directives.find((one) => one === word) : undefined
  return type && { type, ...labelled }
}

/** A label may hold `|>`, but no `]`. */
function insideOf(text: string): string | undefined {
  if (text.length >= 4 && text.startsWith('<|') && text.endsWith('|>')) return text.slice(2, -2)
  return text.startsWith('[') && text.indexOf(']') === text.length - 1 ? text.slice(1, -1) : undefined
}

/** Abort beats exit, exit beats continue; of two alike the first counts. */
export function stronger(first: WorkflowMarker | undefined, second: WorkflowMarker): WorkflowMarker {
  return first !== undefined && directives.indexOf(first.type) <= directives.indexOf(second.type) ? first : second
}

// ── a text in pieces ─────────────────────────────────────────────────────────────────────────────────────────────────────

export type MarkerReader = {
  push(piece: string): readonly Marker[]
  /** The text is over: its last line is whole now, and the next text is outside of fences. */
  end(): readonly Marker[]
  /** The text is withdrawn. */
  forget(): void
}

export function createMarkerReader(): MarkerReader {
  let line = '' // the beginning of the line that is not over yet
  let isDull = false // it can be neither a marker nor a fence
  let isCut = false
  let fence: string | undefined // what opened the fence that we are in

  function keep(piece: string): void {
    if (isDull) return
    line += piece.slice(0, longest + 1 - line.length)
    isCut = line.length > longest
    isDull = /^\s*[^\s<[`~]/.test(line)
  }

  function finish(): Marker | undefined {
    const marker = isDull ? undefined : judge(line.trim())
    line = ''
    isDull = false
    isCut = false
    return marker
  }

  /** A fence is closed by its own characters, at least as many, and nothing behind them. */
  function judge(text: string): Marker | undefined {
    const [, run = '', rest = ''] = /^(`{3,}|~{3,})(.*)$/s.exec(text) ?? []
    if (fence !== undefined) {
      if (run.startsWith(fence) && rest === '' && !isCut) fence = undefined
      return undefined
    }
    if (run !== '' && !(run.startsWith('`') && rest.includes('`'))) fence = run
    return isCut || run !== '' ? undefined : readMarker(text)
  }

  function forget(): void {
    line = ''
    isDull = false
    isCut = false
    fence = undefined
  }

  return {
    push(piece) {
      let found = none
      let from = 0
      for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', from)) {
        keep(piece.slice(from, at))
        const marker = finish()
        if (marker !== undefined) found = [...found, marker]
        from = at + 1
      }
      if (from < piece.length) keep(piece.slice(from))
      return found
    },
    end() {
      const marker = finish()
      forget()
      return marker === undefined ? none : [marker]
    },
    forget,
  }
}

// ── a stream ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `thoughts`: what the agent thinks counts like what it says. */
export type MarkerOptions = { thoughts?: boolean | undefined }

export type Markers = { step(event: Event): readonly Marker[] }

/** The agent's own words: not its tools', not its subagents', not what it was asked. */
export function createMarkers({ thoughts = false }: MarkerOptions = {}): Markers {
  const text = createMarkerReader()
  const thought = createMarkerReader()

  function end(reader: MarkerReader, whole: Payload<'text.end'>): readonly Marker[] {
    if (whole.streamed || whole.text === undefined) return reader.end()
    reader.forget()
    return [...reader.push(whole.text), ...reader.end()]
  }

  return {
    step(event) {
      if (event.agent !== undefined) return none
      switch (event.kind) {
        case 'text.delta':
          return text.push(event.text)
        case 'thought.delta':
          return thoughts ? thought.push(event.text) : none
        case 'text.end':
          return end(text, event)
        case 'thought.end':
          return thoughts ? end(thought, event) : none
        case 'message.end':
        case 'turn.end':
        case 'session.end':
          return [...thought.end(), ...text.end()]
        case 'session.start':
        case 'message.drop':
          text.forget()
          thought.forget()
          return none
        default:
          return none
      }
    },
  }
}
