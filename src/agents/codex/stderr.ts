// What Codex says on stderr alone: calls that it did not make leave no trace in `codex exec`, nor in a thread that is gone on with. Lines
// outside of turns are left to who asks why it did not start, or how it left.
import type { Event } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import type { StderrEvent } from '../driver.ts'

export type StderrReader = {
  readLine(line: string): StderrEvent | undefined
  onEvent(event: Event): void
  /** It is being stopped: until its next turn its troubles are its own. */
  rest(): void
}

const most = 100

/** `hasCalls`: the stream tells of every call, so what stderr says of calls is nothing new. */
export function createStderrReader(hasCalls: () => boolean): StderrReader {
  const told = new Set<string>()
  let isListening = false
  return {
    onEvent({ kind }) {
      if (kind === 'turn.start' || kind === 'turn.end') isListening = kind === 'turn.start'
    },
    rest: () => void (isListening = false),
    readLine(line) {
      const found = /^\S+\s+ERROR\s+(?:\S*\{.*\}: )?([\w:.]+): (?:error=)?(.+)$/.exec(plain(line))
      if (found === null || !isListening) return undefined
      const [, target = '', text = ''] = found
      const isCall = target.endsWith('tools::router')
      if ((isCall && hasCalls()) || told.has(text) || told.size >= most) return undefined
      told.add(text)
      if (isCall && /reject/.test(text)) return { kind: 'notice', payload: { level: 'warn', code: 'refused', text } }
      const error = faultOf(text, { code: target })
      return { kind: 'error', payload: { scope: isCall ? 'turn' : 'session', fatal: false, error, source: 'codex' } }
    },
  }
}

/** Without colours. */
const plain = (line: string): string => line.replaceAll(/\u001B\[[\d;]*m/g, '')
