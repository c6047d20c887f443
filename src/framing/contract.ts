// What the framer hands on: records and what is none, each with its place.
import type { Rec } from '../base/json.ts'

/**
 * A place in the input: `line` and `record` count from 1, `offset` is bytes from the start. `form`: records that share one have the same
 * keys in the same order; 0 or absent when that is not known. `array`: in which array of the input it stands, from 1; 0 or absent: in none.
 */
export type Span = { bytes: Uint8Array; start: number; end: number; offset: number; line: number; array?: number; form?: number } // valid only during the call

/** `array`: what stands between the records of an array is wrong, or it is never closed; the span is empty. */
export type BadCode = 'noise' | 'not-object' | 'bad-json' | 'array' | 'cut' | 'too-long' | 'utf8'

export type FrameSink = {
  record(value: Rec, span: Span): void
  /** Bytes that are no record. `utf8` is a warning: the record follows, its bad bytes replaced. */
  bad(code: BadCode, text: string, span: Span): void
}

export const newline = 0x0a
export const openBrace = 0x7b

export const cutText = 'the input ends in the middle of a record'
