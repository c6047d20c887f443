// Lines of a generation that are no events and have no number: what opens it, which sessions the run works in, and what closes the run.
import { readFileSync } from 'node:fs'
import { isRecord, parseJson, type Rec } from '../../base/json.ts'
import type { EndReason } from '../contract.ts'

/** The first line. `after`: the last number of the generations before that is valid; `seq` goes on from there. */
export type Header = {
  run: string
  gen: number
  after: number
  pid: number
  /** When the process began, and since when the machine is up, as the system says it: a number of a process is given again. */
  start: string
  boot: string
  host: string
  socket?: string | undefined
  version?: string | undefined
}

/** This run works in a session that its events call `in`. */
export type Joined = { session: string; in: string }

/** The last line of a run. */
export type Closed = { why: EndReason }

const line = (kind: string, fields: object): Buffer => Buffer.from(`${JSON.stringify({ v: 1, kind: `log.${kind}`, ...fields })}\n`)
export const openLine = (header: Header): Buffer => line('open', header)
export const partLine = (joined: Joined): Buffer => line('part', joined)
export const closeLine = (closed: Closed): Buffer => line('close', closed)

export const headerIn = (record: Rec): Header | undefined =>
  record['kind'] === 'log.open' && typeof record['after'] === 'number' ? (record as unknown as Header) : undefined
export const joinedIn = (record: Rec): Joined | undefined => (record['kind'] === 'log.part' ? (record as unknown as Joined) : undefined)
export const closedIn = (record: Rec): Closed | undefined => (record['kind'] === 'log.close' ? (record as unknown as Closed) : undefined)

export const isControl = (record: Rec): boolean => String(record['kind']).startsWith('log.')

export function parseLine(bytes: Uint8Array): Rec | undefined {
  try {
    const value = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString())
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const thisProcess = (): { pid: number; start: string; boot: string } => ({
  pid: process.pid,
  start: read('/proc/self/stat').split(') ').at(-1)!.split(' ')[19] ?? '',
  boot: read('/proc/sys/kernel/random/boot_id').trim(),
})

/** Empty on systems that have no such file. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
