// What the property tests share: running a stream through the library, and a judge of canonical order that is stricter than
// the one the dialect `sluice` has.
import fc from 'fast-check'
import { createConverter, createReader, createValidator, dialects, type DialectName, type Event, type Finding } from '../src/index.ts'
import { createRandom, type Random } from '../src/testing/index.ts'

export const names = Object.keys(dialects) as DialectName[]
const all = Object.values(dialects)
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
export const bytesOf = (text: string): Uint8Array => encoder.encode(text)

/**
 * The same runs every time, so that a check means the same on every machine. `PROPERTY_SEED` gives other ones,
 * `PROPERTY_RUNS` multiplies their number.
 */
export function holds(runs: number, property: (seed: number, random: Random) => void): void {
  const seed = Number(process.env['PROPERTY_SEED'] ?? 1)
  const numRuns = Math.ceil(runs * Number(process.env['PROPERTY_RUNS'] ?? 1))
  fc.assert(
    fc.property(fc.nat(), (drawn) => property(drawn, createRandom(drawn))),
    { seed, numRuns },
  )
}

/** The bytes in chunks of any size, the smallest ones too. */
export function chunksOf(bytes: Uint8Array, random: Random): Uint8Array[] {
  const most = random.pick([1, 2, 7, 64, 4096])
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = random.int(0, most)
    chunks.push(bytes.slice(at, at + size))
    at += size
  }
  return chunks
}

export function eventsOf(input: string | Uint8Array | readonly Uint8Array[], dialect: DialectName): Event[] {
  const events: Event[] = []
  const reader = createReader(dialects[dialect], (more) => void events.push(...more), { others: all })
  for (const chunk of chunked(input)) reader.push(chunk)
  reader.end()
  return events
}

export function findingsOf(input: string | Uint8Array, dialect: DialectName, repair?: (text: string) => void): Finding[] {
  const findings: Finding[] = []
  const validator = createValidator(dialects[dialect], (finding) => void findings.push(finding), { others: all, repair })
  for (const chunk of chunked(input)) validator.push(chunk)
  validator.end()
  return findings
}

export function converted(input: string | Uint8Array | readonly Uint8Array[], from: DialectName, to: DialectName, options: { carry?: boolean; array?: boolean } = {}): string {
  let text = ''
  const output = { text: (more: string) => void (text += more), bytes: (bytes: Uint8Array) => void (text += decoder.decode(bytes)) }
  const converter = createConverter(dialects[from], dialects[to], output, { others: all, ...options })
  for (const chunk of chunked(input)) converter.push(chunk)
  converter.end()
  return text
}

const chunked = (input: string | Uint8Array | readonly Uint8Array[]): readonly Uint8Array[] =>
  typeof input === 'string' ? [encoder.encode(input)] : input instanceof Uint8Array ? [input] : input

/** Findings in one line each, for a failure message that can be read. */
export const told = (findings: readonly Finding[]): string[] => findings.map(({ line, code, text }) => `${line}: ${code}: ${text}`)
