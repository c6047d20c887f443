// How an agent takes its leave: its input is closed when all is done, and it is given time. One that lives on, or waits for what nobody can
// give it any more, is ended.
import type { Event, Fault, Payload } from '../model/event.ts'
import { faultOf } from '../model/fault.ts'
import type { Ask } from '../supervise/contract.ts'
import type { Progress } from './progress.ts'
import type { Driver } from './driver.ts'
import type { Timeouts } from './timeouts.ts'

export type PartingParts = {
  driver: Pick<Driver, 'title' | 'stays' | 'onlyPrompted'>
  times: Timeouts
  progress: Progress
  isBusy(): boolean
  /** No more prompts will come. */
  isLast(): boolean
  /** Its input. */
  isClosed(): boolean
  close(): void
  /** For an agent that has not said so itself. */
  begin(): void
  note(notice: Payload<'notice'>): void
  /** The program. */
  end(): void
}

export type Parting = {
  /** Something was said by it, or to it. */
  step(): void
  /** It asked when nobody could answer any more. */
  asked(ask: Ask): void
  /** It goes on, if this is not of another call than the one that it asked about. */
  onEvent(event: Event): void
  /** Nothing more can be had of it. `what` it did; `when`: as a rule after its time to leave. */
  abandon(code: string, what: string, when?: string): void
  /** It is leaving, or has left. */
  over(): void
  /** We ended it, for it lived on after its work was done. */
  wasEnded(): boolean
  /** We ended it in the middle of its work, and why. */
  abandoned(): Fault | undefined
}

export function createParting(parts: PartingParts): Parting {
  const { driver, times, progress, isBusy, isLast, isClosed, begin, note, end } = parts
  let wasEnded = false
  let unheard: Ask | undefined // it has not gone on since
  let abandoned: Fault | undefined
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  let isLeaving = false // all is done, and nothing more to be waited for

  /** By itself, when a task of its comes to an end. */
  const mayGoOn = (): boolean => driver.onlyPrompted !== true && progress.hadTasks()
  const hasTasks = (): boolean => progress.openTasks() + progress.openCommands() > 0
  const restMs = (): number => (progress.openCommands() > 0 ? times.tasksMs : times.lingerMs)

  /** It gets not more time by talking on. */
  function step(): void {
    if (isLeaving && !(mayGoOn() && (isBusy() || hasTasks()))) return
    clearTimeout(timer)
    isLeaving = false
    if (isOver) return
    if (unheard !== undefined) return void (timer = setTimeout(abandonUnheard, times.lingerMs))
    if (!isLast() || isBusy()) return
    if (isClosed() && driver.stays === true) return dismiss()
    if (isClosed()) [timer, isLeaving] = [setTimeout(leave, restMs()), !hasTasks()]
    else if (mayGoOn() && progress.openTasks() > 0) timer = setTimeout(close, times.tasksMs) // an end that is never told must not hold the run
    else if (mayGoOn()) timer = setTimeout(close, times.settleMs)
    else close()
  }

  function dismiss(): void {
    if (!wasEnded) end()
    wasEnded = true
  }

  function close(): void {
    parts.close()
    step()
  }

  function leave(): void {
    if (unheard !== undefined) return abandonUnheard()
    if (isBusy()) return abandon('lingering', 'went on unasked after all that it was given was done')
    wasEnded = true
    const text = `${driver.title} had nothing left to do and did not leave; it was ended after ${restMs() / 1000} s`
    note({ level: 'warn', code: 'lingering', text })
    end()
  }

  function abandon(code: string, what: string, when = `after ${times.lingerMs / 1000} s`): void {
    if (abandoned !== undefined || wasEnded) return
    const text = `${driver.title} ${what}; it was ended ${when}`
    abandoned = faultOf(text, { code })
    wasEnded = !isBusy()
    begin()
    note({ level: 'warn', code, text })
    parts.close()
    end()
  }

  const abandonUnheard = (): void => abandon('unheard', 'asked something when its input was closed, and waited for the answer')

  return {
    step,
    asked: (ask) => void (unheard = ask),
    onEvent(event) {
      const about = unheard?.place.call
      if (unheard !== undefined && (about === undefined || event.call === undefined || event.call === about)) unheard = undefined
    },
    abandon,
    over() {
      isOver = true
      clearTimeout(timer)
    },
    wasEnded: () => wasEnded,
    abandoned: () => abandoned,
  }
}
