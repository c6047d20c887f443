// Pieces of a text come by the dozen in one read, and nobody answers to one of them alone, nor to a record that says nothing in our words:
// those that come together are told together.
// All else that is said to the host comes after what was held back.
import type { Event } from '../model/event.ts'
import type { Host } from './contract.ts'

export type BatchingHost = Host & {
  /** The same as `emit`, but a piece of a text may wait for the next. */
  tell(event: Event): void
  /** No more comes for now. */
  release(): void
}

export function inBatches(host: Host): BatchingHost {
  let held: Event[] = []

  function release(): void {
    if (held.length === 0) return
    const events = held
    held = [] // whoever hears of them may say something
    host.emit(events)
  }
  /** After what was held back. */
  const then =
    <Args extends unknown[], Result>(say: (...args: Args) => Result) =>
    (...args: Args): Result => {
      release()
      return say(...args)
    }

  return {
    tell(event) {
      held.push(event)
      if (!isPiece(event)) release()
    },
    release,
    emit: then(host.emit),
    raise: then(host.raise),
    withdraw: then(host.withdraw),
    ...(host.judge !== undefined && { judge: then(host.judge) }),
    now: host.now,
  }
}

const isPiece = ({ kind }: Event): boolean => kind === 'text.delta' || kind === 'thought.delta' || kind === 'tool.delta' || kind === 'raw'
