/**
 * Streams in chunks, and no dialect: with `sluice/dialects/<name>` the smallest way in.
 *
 * ```ts
 * import { avenor } from 'sluice/dialects/avenor'
 * import { createReader } from 'sluice/stream'
 *
 * const reader = createReader(avenor, (events) => console.log(events.map(({ kind }) => kind)))
 * reader.push(new TextEncoder().encode('{"event":"avenor.loop.start"}\n'))
 * reader.end()
 * ```
 *
 * @module
 */
import type { Claimer, Dialect } from '../dialects/contract.ts'
import { convertOptions, isBytes, readOptions, sureDialect, sureFunction, sureOptions, validateOptions } from './checks.ts'
import { createConverter as converterOf, type Converter, type ConvertOptions, type Output } from './convert.ts'
import { createSniffer as snifferOf, type Sniffer } from './detect.ts'
import { createReader as readerOf, type OnEvents, type Reader, type ReadOptions } from './read.ts'
import { createValidator as validatorOf, type Finding, type ValidateOptions, type Verdict } from './validate.ts'

export type * from '../dialects/public.ts'
export type { Span } from '../framing/framer.ts'
export type { Kind } from '../model/event.ts'
export type { Cause } from '../model/pen.ts'
export type { Summary } from './convert.ts'
export type { Detection } from './detect.ts'
export type { Encoding } from './encoding.ts'
export type { Addition, Loss } from './ledger.ts'
export type { Converter, ConvertOptions, Finding, OnEvents, Output, Reader, ReadOptions, Sniffer, ValidateOptions, Verdict }

export type Validator = { push(chunk: Uint8Array): void; end(): Verdict }

export const createReader = (dialect: Dialect, onEvents: OnEvents, options: ReadOptions = {}): Reader =>
  inTurn(readerOf(sureDialect(dialect), sureFunction(onEvents, 'onEvents'), sureOptions(options, readOptions)))

/** Throws when `to` is a dialect that cannot be written, unless it is the input's own. */
export const createConverter = (from: Dialect, to: Dialect, output: Output, options: ConvertOptions = {}): Converter =>
  inTurn(converterOf(sureDialect(from), sureDialect(to), sureOutput(output), sureOptions(options, convertOptions)))

export const createValidator = (dialect: Dialect, onFinding: (finding: Finding) => void, options: ValidateOptions = {}): Validator =>
  inTurn(validatorOf(sureDialect(dialect), sureFunction(onFinding, 'onFinding'), sureOptions(options, validateOptions)))

export const createSniffer = <One extends Claimer>(dialects: readonly One[]): Sniffer<One> =>
  inTurn(snifferOf(dialects.map((one) => sureDialect(one))))

function sureOutput(output: Output): Output {
  for (const name of ['text', 'line', 'bytes'] as const) sureFunction(output?.[name], `output.${name}`)
  return output
}

/** Calls that come out of turn would lose or reorder records without a word: they throw. To end it again changes nothing. */
function inTurn<One extends { push(chunk: Uint8Array): void; end(...given: never[]): unknown }>(stream: One): One {
  let when: 'inside a callback' | 'after a callback has thrown' | 'after end' | undefined
  let result: unknown
  return {
    ...stream,
    push(chunk) {
      if (when !== undefined) throw new Error(`push was called ${when}`)
      if (!isBytes(chunk)) throw new TypeError('push takes bytes, a Uint8Array; those of a text are new TextEncoder().encode(text)')
      when = 'inside a callback'
      try {
        stream.push(chunk)
        when = undefined
      } catch (error) {
        when = 'after a callback has thrown' // the rest of the chunk was not read
        throw error
      }
    },
    end(...given: never[]) {
      if (when === 'inside a callback') throw new Error(`end was called ${when}`)
      if (when !== 'after end') {
        when = 'after end'
        result = stream.end(...given)
      }
      return result
    },
  }
}
