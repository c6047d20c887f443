// Cursors as text: the generation of a run (or the part of a session) and the event's number, each of fixed width, so that the order of the
// texts is the order of the events. A bare number is taken for one of the first generation.

export type Position = { index: number; seq: number }

const widths = { index: 6, seq: 12 }

/** Before all events. */
export const start = formatCursor(0, 0)

export function formatCursor(index: number, seq: number): string {
  return `${String(index).padStart(widths.index, '0')}_${String(seq).padStart(widths.seq, '0')}`
}

export function parseCursor(text: string): Position | undefined {
  const [, index = '1', seq = ''] = /^(?:(\d{6})_)?(\d{1,12})$/.exec(text) ?? []
  return seq === '' || (index.length === widths.index && seq.length !== widths.seq) ? undefined : { index: Number(index), seq: Number(seq) }
}

/** Less than 0 when `a` comes first. */
export const compareCursors = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
