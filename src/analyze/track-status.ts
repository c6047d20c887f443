// What the agent is doing. Told by a status, or seen from what happens; in one turn a better source is not overruled by a lesser
// one: the channel, then the transcript, then what the supervisor sees, then the terminal.
import type { EventOf } from '../model/event.ts'
import type { Phase } from '../model/vocabulary.ts'

const ranks: Readonly<Record<string, number>> = {
  __proto__: null as never, // a source may be any word
  channel: 4,
  sidecar: 4,
  transcript: 3,
  tmux: 1,
  pty: 1,
  terminal: 1,
}
const seen = 2 // also a supervisor's own word, and the agent's

export const rankOf = (source = ''): number => ranks[source] ?? seen

export function createStatus() {
  let phase: Phase | undefined
  let label: string | undefined
  let rank = 0

  function set(next: Phase, by: number, text?: string): void {
    if (by < rank) return
    phase = next
    label = text
    rank = by
  }

  /** Whatever was told before is over. */
  function begin(next: Phase): void {
    rank = 0
    set(next, 0)
  }

  return {
    begin,
    /** Something happened that shows it. */
    show(next: Phase): void {
      if (phase !== next) set(next, seen)
    },
    tell({ phase: told, label: text, source }: EventOf<'status.update'>): void {
      const by = rankOf(source)
      set(told === 'waiting' && by < seen ? 'idle' : told, by, text) // a terminal that waits for input waits for no answer
    },
    /** The last question was answered. */
    goOn(): void {
      if (phase === 'waiting') begin('working')
    },
    phase: () => phase,
    label: () => label,
  }
}

/** The agent works, and not because a terminal looks like it: a dialog on its screen has been answered. */
export const showsWork = ({ phase, source }: EventOf<'status.update'>): boolean =>
  (phase === 'working' || phase === 'thinking') && rankOf(source) >= seen

export const isOnScreen = (source: string | undefined): boolean => source !== undefined && ranks[source] === 1
