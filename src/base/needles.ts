// Short words that are looked for in every long text. Where a text came straight from the line at hand, its bytes are still there, and in
// them WebAssembly (wasm/needles.ts) finds that it has none of them in a quarter of the time that a search in the text takes.
import { type Span, spanOf } from './spans.ts'

/** Words of four letters, eight at the most; A and a are the same. None may need an escape in JSON. */
export type Needles = readonly string[]

/** What can search in the memory that some spans lie in. */
type Searcher = { memory: Uint8Array; loaded: Needles | undefined; mayHold(start: number, end: number): number }

// The layout of wasm/needles.ts: two tables a letter.
const needlesAt = 0xf000
const letters = 4

const searchers = new WeakMap<ArrayBufferLike, Searcher>()

export function offerSearch(memory: Uint8Array, mayHold: Searcher['mayHold']): void {
  searchers.set(memory.buffer, { memory, loaded: undefined, mayHold })
}

/** None of the words stands in the text. False: one may, or nobody knows. */
export function isFree(text: string, needles: Needles): boolean {
  const span = spanOf(text)
  return span !== undefined && !mayHold(span, needles)
}

function mayHold({ bytes, start, end }: Span, needles: Needles): boolean {
  const searcher = searchers.get(bytes.buffer)
  if (searcher === undefined) return true
  if (searcher.loaded !== needles) load(searcher, needles)
  return searcher.mayHold(start, end) !== 0
}

function load(searcher: Searcher, needles: Needles): void {
  const tables = searcher.memory.subarray(needlesAt, needlesAt + letters * 32).fill(0)
  for (const [index, needle] of needles.entries())
    for (let letter = 0; letter < letters; letter++)
      for (const word of [needle.toLowerCase(), needle.toUpperCase()]) {
        const byte = word.charCodeAt(letter)
        tables[letter * 32 + (byte & 15)]! |= 1 << index
        tables[letter * 32 + 16 + (byte >> 4)]! |= 1 << index
      }
  searcher.loaded = needles
}
