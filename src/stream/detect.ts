// Which dialect is this? Every dialect is asked how sure it is of each record; mixed or unknown input is said, never guessed.
import type { Rec } from '../base/json.ts'
import { printable } from '../base/text.ts'
import type { Claimer } from '../dialects/contract.ts'
import { createFramer } from '../framing/framer.ts'
import { createEncodingLook, type Encoding } from './encoding.ts'

export type Detection<Name extends string = string> = {
  /** Absent: unknown. */
  dialect?: Name | undefined
  version?: string | undefined
  /** From 0 to 1: how sure the dialect is of its records, and how many of the records are its own. */
  confidence: number
  records: number
  /** Lines that are no record at all. */
  unreadable: number
  /** More than one dialect was found, with the number of records each. */
  mixed?: { dialect: Name; records: number }[] | undefined
  /** Only where the dialect is unknown: the first bytes are not those of UTF-8, but of this. */
  encoding?: Encoding | undefined
}

export type Sniffer<One extends Claimer = Claimer> = {
  push(chunk: Uint8Array): void
  end(): void
  /** True when more input would hardly change the answer. */
  decided(): boolean
  /** The dialect to read the stream as: the first one that was sure, else the likeliest. */
  choice(): One | undefined
  detection(): Detection
}

const sure = 0.9
const enough = 0.5
/** A stream that no record has made sure of by then is taken for what it most looks like. */
const patience = 32

export function createSniffer<One extends Claimer>(claimers: readonly One[]): Sniffer<One> {
  const tally = new Map<One, { records: number; claims: number; version: string | undefined }>()
  let records = 0
  let unreadable = 0
  let best: One | undefined

  function see(record: Rec): void {
    records++
    let top: One | undefined
    let topClaim = 0
    for (const claimer of claimers) {
      const claim = claimer.claim(record)
      if (claim > topClaim) [top, topClaim] = [claimer, claim]
    }
    if (top === undefined) return
    const count = tally.get(top) ?? { records: 0, claims: 0, version: undefined }
    count.records++
    count.claims += topClaim
    if (count.version === undefined) {
      const version = top.version?.(record)
      count.version = version === undefined ? undefined : printable(version)
    }
    tally.set(top, count)
    if (topClaim >= sure) best ??= top
  }

  const framer = createFramer({
    record: see,
    bad: (code) => {
      if (code !== 'utf8') unreadable++
    },
  })

  const look = createEncodingLook()

  const ranked = () => [...tally].sort(([, a], [, b]) => b.claims - a.claims)

  return {
    push(chunk) {
      look.push(chunk)
      framer.push(chunk)
    },
    end: () => framer.end(),
    decided: () => best !== undefined || records >= patience,
    choice() {
      const [likeliest] = ranked()
      return best ?? (likeliest !== undefined && likeliest[1].claims / likeliest[1].records >= enough ? likeliest[0] : undefined)
    },
    detection() {
      const found = ranked()
      const likeliest = found[0]
      if (likeliest === undefined || likeliest[1].claims / likeliest[1].records < enough)
        return { confidence: 0, records, unreadable, encoding: look.encoding() }
      const [{ name: dialect }, { claims, version }] = likeliest
      const several = found.filter(([, count]) => count.claims / count.records >= sure)
      const mixed = several.length > 1 ? several.map(([claimer, count]) => ({ dialect: claimer.name, records: count.records })) : undefined
      return {
        dialect,
        version,
        confidence: Math.round((claims / (records + unreadable)) * 100) / 100,
        records,
        unreadable,
        mixed,
      }
    },
  }
}
