// How much of a block was told in pieces. Where a dialect writes nothing but these, a whole that says more than they did is lost.
import type { EventOf } from '../model/event.ts'

/** Of one session: its last block of each kind. */
export function createStreamed() {
  const none = { message: '' as string | undefined, block: 0 as number | undefined, length: 0 }
  const last = { text: { ...none }, thought: { ...none } }
  return {
    piece({ kind, message, block, text }: EventOf<'text.delta' | 'thought.delta'>): void {
      const told = last[kind === 'text.delta' ? 'text' : 'thought']
      if (told.message !== message || told.block !== block) told.length = 0
      told.message = message
      told.block = block
      told.length += text.length
    },
    /** Some of its pieces did not come. */
    isShort({ kind, message, block, text }: EventOf<'text.end' | 'thought.end'>): boolean {
      const told = last[kind === 'text.end' ? 'text' : 'thought']
      const length = told.message === message && told.block === block ? told.length : 0
      told.length = 0
      return text !== undefined && text.length !== length
    },
  }
}
