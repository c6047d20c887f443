// Why we ended a program: what the stream says of it, and what the outcome has to know.
import type { Fault } from '../model/event.ts'
import { faultOf } from '../model/fault.ts'
import type { Because } from './lifecycle.ts'

export type ShutdownParts = {
  title: string
  /** How long it had to leave. */
  restMs(): number
  lingerMs: number
  isBusy(): boolean
  warn(code: string, text: string): void
}

/** What it did until we ended it in the middle of its work. */
const done = {
  'went-on': ['lingering', 'went on unasked after all that it was given was done'],
  unheard: ['unheard', 'asked something when its input was closed, and waited for the answer'],
  silent: ['silent', 'closed its output and did not leave'],
  unread: ['unread', 'asked more than it read the answers to'],
} as const

export function createShutdown({ title, restMs, lingerMs, isBusy, warn }: ShutdownParts) {
  let wasEnded = false
  let abandoned: Fault | undefined
  const after = (ms: number): string => `after ${ms / 1000} s`

  return {
    explain(because: Exclude<Because, 'turn-stuck'>): void {
      if (because === 'dismissed' || because === 'lingering') {
        wasEnded = true
        const text = `${title} had nothing left to do and did not leave; it was ended ${after(restMs())}`
        return because === 'lingering' ? warn(because, text) : undefined
      }
      const [code, what] = done[because]
      const text = `${title} ${what}; it was ended ${because === 'unread' ? 'now' : after(lingerMs)}`
      abandoned = faultOf(text, { code })
      wasEnded = !isBusy()
      warn(code, text)
    },
    /** `wasEnded`: it lived on after its work was done. `abandoned`: why it was ended in the middle of its work. */
    outcome: () => ({ wasEnded, abandoned }),
  }
}
