// Why we ended a program: what the stream says of it, and what the outcome has to know.
import type { Fault } from '../model/event.ts'
import { faultOf } from '../model/fault.ts'
import type { Because } from './lifecycle.ts'

export type ShutdownParts = {
  title: string
  /** For it to leave: now, and while nothing runs in the background. */
  restMs(): number
  lingerMs: number
  isBusy(): boolean
  warn(code: string, text: string): void
}

export function createShutdown({ title, restMs, lingerMs, isBusy, warn }: ShutdownParts) {
  let wasEnded = false
  let abandoned: Fault | undefined

  /** Nothing more can be had of it. */
  function abandon(code: string, what: string, when = `after ${lingerMs / 1000} s`): void {
    const text = `${title} ${what}; it was ended ${when}`
    abandoned = faultOf(text, { code })
    wasEnded = !isBusy()
    warn(code, text)
  }

  return {
    explain(because: Exclude<Because, 'turn-stuck'>): void {
      switch (because) {
        case 'dismissed':
          wasEnded = true
          return
        case 'lingering':
          wasEnded = true
          return warn('lingering', `${title} had nothing left to do and did not leave; it was ended after ${restMs() / 1000} s`)
        case 'went-on':
          return abandon('lingering', 'went on unasked after all that it was given was done')
        case 'unheard':
          return abandon('unheard', 'asked something when its input was closed, and waited for the answer')
        case 'silent':
          return abandon('silent', 'closed its output and did not leave')
        case 'unread':
          return abandon('unread', 'asked more than it read the answers to', 'now')
      }
    },
    /** It lived on after its work was done. */
    wasEnded: (): boolean => wasEnded,
    /** It was ended in the middle of its work. */
    abandoned: (): Fault | undefined => abandoned,
  }
}
