// What the property tests share: running a stream through the library, and a judge of canonical order that is stricter than
// the one the dialect `sluice` has.
import fc from 'fast-check'
import type { Rec } from '../src/base/json.ts'
import { isWritable } from '../src/dialects/contract.ts'
import {
  convert,
  type ConvertOptions,
  createConverter,
  dialects,
  type DialectName,
  type Event,
  type Finding,
  read,
  validate,
  type WritableName,
} from '../src/index.ts'
import { createRandom, type Random } from '../src/testing/index.ts'

export const names = Object.keys(dialects) as DialectName[]
/** The ones that can be written. */
export const targets = names.filter((name): name is WritableName => isWritable(dialects[name]))
const encoder = new TextEncoder()
export const bytesOf = (text: string): Uint8Array => encoder.encode(text)

/**
 * The same runs every time, so that a check means the same on every machine. `PROPERTY_SEED` gives other ones,
 * `PROPERTY_RUNS` multiplies their number.
 */
export function assertHolds<T>(runs: number, made: fc.Arbitrary<T>, property: (value: T) => void): void {
  const seed = Number(process.env['PROPERTY_SEED'] ?? 1)
  const numRuns = Math.ceil(runs * Number(process.env['PROPERTY_RUNS'] ?? 1))
  fc.assert(fc.property(made, property), { seed, numRuns })
}

/** For streams that a seed makes. */
export const holds = (runs: number, property: (seed: number, random: Random) => void): void =>
  assertHolds(runs, fc.nat(), (drawn) => property(drawn, createRandom(drawn)))

/** The bytes in chunks of any size, the smallest ones too. */
export function chunksOf(bytes: Uint8Array, random: Random): Uint8Array[] {
  const most = random.pick([1, 2, 7, 64, 4096])
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const size = random.int(0, most)
    chunks.push(bytes.slice(at, at + size))
    at += size
  }
  return chunks
}

type Bytes = string | Uint8Array | readonly Uint8Array[]

export const eventsOf = (input: Bytes, dialect: DialectName): Event[] => read(chunked(input), { dialect })
export const findingsOf = (input: Bytes, dialect: DialectName): Finding[] => validate(chunked(input), { dialect }).findings
export const converted = (input: Bytes, from: DialectName, to: DialectName, options: ConvertOptions = {}): string =>
  convert(chunked(input), { ...options, from, to }).text

/** What a conversion writes, byte by byte: noise need not be text. */
export function convertedBytes(input: Bytes, from: DialectName, to: DialectName, options: ConvertOptions = {}): Uint8Array {
  const parts: Uint8Array[] = []
  const text = (more: string): void => void parts.push(encoder.encode(more))
  const output = {
    text,
    line: (more: string) => text(`${more}\n`),
    bytes: (bytes: Uint8Array) => void parts.push(bytes.slice()),
  }
  const converter = createConverter(dialects[from], dialects[to], output, {
    others: Object.values(dialects),
    ...options,
  })
  for (const chunk of chunked(input)) converter.push(chunk)
  converter.end()
  return Buffer.concat(parts)
}

const chunked = (input: Bytes): readonly Uint8Array[] =>
  typeof input === 'string' ? [encoder.encode(input)] : input instanceof Uint8Array ? [input] : input

/** The stream as nobody may write it: records lost, doubled and in the wrong place. */
export function scrambled(records: readonly Rec[], random: Random): Rec[] {
  const left = records.filter(() => random.chance(0.85)).flatMap((record) => (random.chance(0.2) ? [record, record] : [record]))
  for (let swaps = random.int(0, 6); swaps > 0 && left.length > 1; swaps--) {
    const [a, b] = [random.int(0, left.length - 1), random.int(0, left.length - 1)]
    ;[left[a], left[b]] = [left[b]!, left[a]!]
  }
  return random.chance(0.2) ? random.shuffled(left) : left
}

/** Events are records of the dialect `sluice`. */
export const recordsOf = (events: readonly Event[]): Rec[] => events as unknown as Rec[]

/** Findings in one line each, for a failure message that can be read. */
export const told = (findings: readonly Finding[]): string[] => findings.map(({ line, code, text }) => `${line}: ${code}: ${text}`)
