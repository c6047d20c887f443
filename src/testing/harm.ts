// What happens to streams on their way: they end early, other programs write between their lines, newer versions add to them.
import { type Rec, stringifyJson } from '../base/json.ts'
import type { StreamDialect } from './index.ts'
import type { Random } from './random.ts'
import { numbered } from './sluice.ts'
import { objectOf, textOf } from './words.ts'

const encoder = new TextEncoder()

/** The stream as NDJSON: one record a line. */
export const linesOf = (records: readonly Rec[]): string => records.map((record) => `${stringifyJson(record)}\n`).join('')

/** The stream up to some record before its last; at least one record is left. */
export const cutStream = (records: readonly Rec[], random: Random): Rec[] =>
  records.slice(0, Math.max(1, random.int(1, records.length - 1)))

/** The stream as a newer version might write it: keys that nobody knows on some records, and records of unknown types between them. */
export function extendStream(records: readonly Rec[], dialect: StreamDialect, random: Random): Rec[] {
  const grown = records.flatMap((record) => {
    const more = random.chance(0.3) ? { ...record, [random.pick(['x_new', 'zz "q"', 'ünï'])]: objectOf(random) } : record
    return random.chance(0.1) ? [strangerOf(dialect, record, random), more] : [more]
  })
  return dialect === 'sluice' ? numbered(grown) : grown
}

function strangerOf(dialect: StreamDialect, beside: Rec, random: Random): Rec {
  const body = { note: textOf(random), more: objectOf(random) }
  switch (dialect) {
    case 'appctl':
      return { kind: 'made_up', ...body }
    case 'avenor':
      return { event: 'made.up', ...named(beside, 'session_id'), ...body }
    case 'aictrl':
      return { type: 'made_up', ...named(beside, 'sessionID'), ...body }
    case 'claude':
      return random.chance(0.5)
        ? { type: 'made_up', ...named(beside, 'session_id'), ...body }
        : { type: 'system', subtype: 'made_up', ...named(beside, 'session_id'), ...body }
    case 'gemini':
      return { type: 'made_up', timestamp: beside['timestamp'], ...body }
    case 'codex':
      return random.chance(0.5) ? { type: 'made_up', ...body } : { method: 'made/up', params: body }
    case 'acp':
      return { jsonrpc: '2.0', method: 'made/up', params: body }
    case 'copilot':
      return { type: 'made.up', data: body, id: random.hex(8), timestamp: beside['timestamp'], parentId: null }
    case 'opencode':
      return 'properties' in beside
        ? { type: 'made.up', properties: body }
        : { type: 'made_up', timestamp: beside['timestamp'], ...named(beside, 'sessionID'), ...body }
    case 'sluice':
      return { v: 1, seq: 0, kind: 'made.up', ...named(beside, 'session'), ...body }
  }
}

const named = (record: Rec, key: string): Rec => (record[key] === undefined ? {} : { [key]: record[key] })

const noise: readonly Uint8Array[] = [
  ...[
    'npm warn deprecated left-pad@1.3.0',
    '[info] starting …',
    'Error: not JSON {',
    '<html>',
    '42',
    'null',
    '"text"',
    '[1, 2, 3]',
    'data: x',
    '\u001b[2K⠋ working',
    '{"broken": ',
  ].map((line) => encoder.encode(line)),
  new Uint8Array([0xff, 0xfe, 0x80]),
]

/** The lines with other output between them: noise, blank lines, CR before LF, a byte order mark, no line end at the end. */
export function noisy(bytes: Uint8Array, random: Random): Uint8Array {
  const parts: Uint8Array[] = random.chance(0.5) ? [new Uint8Array([0xef, 0xbb, 0xbf])] : []
  const lineEnds = [encoder.encode('\n'), encoder.encode('\r\n')] as const
  const end = (): void => void parts.push(random.pick(lineEnds))
  for (const line of linesIn(bytes)) {
    if (random.chance(0.15)) parts.push(random.pick(noise), random.pick(lineEnds))
    if (random.chance(0.1)) parts.push(encoder.encode(random.pick(['', '  ', '\t']) + random.pick(['\n', '\r\n'])))
    parts.push(line)
    end()
  }
  if (random.chance(0.2)) parts.pop()
  return joined(parts)
}

function linesIn(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const stop = bytes.indexOf(0x0a, at)
    lines.push(bytes.subarray(at, stop === -1 ? bytes.length : stop))
    at = stop === -1 ? bytes.length : stop + 1
  }
  return lines
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
