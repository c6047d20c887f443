/** What a generator is: it writes whole sessions, so that a corpus may stop after any of them and still be legal. */
export type Emit = (record: object) => void

export interface Generator {
  session(emit: Emit): void
}

/** Share of longer texts that hold characters outside ASCII; it makes a fifth of the lines of the Claude corpus wide. */
export const WIDE = 0.23
