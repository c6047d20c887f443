// The messages that were counted, by id: numbers in a few tables, for there may be a million of them, and what many have in common is
// kept once. Of ids and requests only hashes of 64 bits are kept, which do not meet by chance.
import type { Claim, Counted, Session } from './usage-account.ts'

/** Some gateways give the same few ids to all messages. */
const mostOfOneId = 8

/** All but the numbers. `tokens` are counts that do not fit into the table. */
type Common = Omit<Counted, 'claim'> & Pick<Claim, 'project' | 'agent' | 'model' | 'provider' | 'oneRequest'> & { tokens?: Claim['tokens'] }

// The columns of a message, of 32 bits: two hashes, the message before it in its chain, then the tokens.
const ofId = 0
const ofRequest = 2
const next = 4
const ofTokens = 5
const columns = 11
// And of 64 bits.
const ofTime = 0
const ofNanos = 1
const wideColumns = 2

/** Serial numbers of messages, from 1; 0 is none. */
export function createMemory(most: number) {
  let room = 64
  let table = new Uint32Array(room * columns)
  let wide = new Float64Array(room * wideColumns)
  let heads = new Uint32Array(room) // by hash, the newest message of each chain
  const commons: (Common | undefined)[] = []
  let newest = 0

  const slotOf = (serial: number): number => (serial - 1) % most
  const rowOf = (serial: number): number => slotOf(serial) * columns
  const headOf = (row: number): number => table[row + ofId]! & (room - 1)
  const isKnown = (serial: number): boolean => serial > newest - most && commons[slotOf(serial)] !== undefined

  /** Of the messages with this id, the newest that is the same in this session. */
  function find(session: Session, id: string, request: string | undefined): number {
    hash(id)
    const [low, high] = [hashed.low, hashed.high]
    hashRequest(request)
    for (let one = heads[low & (room - 1)]!; one !== 0; one = table[rowOf(one) + next]!) {
      const row = rowOf(one)
      if (table[row + ofId] !== low || table[row + ofId + 1] !== high) continue
      const { session: its, copies } = commons[slotOf(one)]!
      if (its === session || copies?.includes(session.id) === true) return one
      if (request !== undefined && table[row + ofRequest] === hashed.low && table[row + ofRequest + 1] === hashed.high) return one
    }
    return 0
  }

  function read(serial: number): Counted {
    const { session, turn, cell, copies, project, agent, model, provider, oneRequest, tokens } = commons[slotOf(serial)]!
    const row = rowOf(serial) + ofTokens
    const at = wide[slotOf(serial) * wideColumns + ofTime]!
    const nanos = wide[slotOf(serial) * wideColumns + ofNanos]!
    const claim: Claim = {
      project,
      agent,
      model,
      provider,
      oneRequest,
      at: Number.isNaN(at) ? undefined : at,
      nanos: Number.isNaN(nanos) ? undefined : nanos,
      tokens: tokens ?? {
        input: table[row]!,
        output: table[row + 1]!,
        reasoning: table[row + 2]!,
        cacheRead: table[row + 3]!,
        cacheWrite: table[row + 4]!,
        cacheWriteLong: table[row + 5]!,
      },
    }
    return { session, turn, cell, copies, claim }
  }

  /** In the place of what was kept of it. */
  function write(serial: number, counted: Counted): void {
    const { at = Number.NaN, nanos = Number.NaN, tokens } = counted.claim
    const row = rowOf(serial) + ofTokens
    table[row] = tokens.input ?? 0
    table[row + 1] = tokens.output ?? 0
    table[row + 2] = tokens.reasoning ?? 0
    table[row + 3] = tokens.cacheRead ?? 0
    table[row + 4] = tokens.cacheWrite ?? 0
    table[row + 5] = tokens.cacheWriteLong ?? 0
    wide[slotOf(serial) * wideColumns + ofTime] = at
    wide[slotOf(serial) * wideColumns + ofNanos] = nanos
    commons[slotOf(serial)] = commonOf(counted, isNarrow(tokens) ? undefined : tokens)
  }

  // Messages come in runs of one session, model and day.
  let last: Common | undefined
  function commonOf({ session, turn, cell, copies, claim }: Counted, tokens: Claim['tokens'] | undefined): Common {
    const { project, agent, model, provider, oneRequest } = claim
    if (
      last !== undefined &&
      last.session === session &&
      last.turn === turn &&
      last.cell === cell &&
      last.agent === agent &&
      last.model === model &&
      last.provider === provider &&
      last.project === project &&
      last.oneRequest === oneRequest &&
      last.tokens === tokens &&
      isEqual(last.copies, copies)
    )
      return last
    return (last = { session, turn, cell, copies, project, agent, model, provider, oneRequest, ...(tokens && { tokens }) })
  }

  /** In the place of the oldest, when there are as many as may be. */
  function add(id: string, request: string | undefined, counted: Counted): number {
    if (newest === room && room < most) grow()
    const serial = newest + 1
    const row = rowOf(serial)
    if (commons[slotOf(serial)] !== undefined) drop(serial - most)
    newest = serial
    hash(id)
    table[row + ofId] = hashed.low
    table[row + ofId + 1] = hashed.high
    link(serial)
    hashRequest(request)
    table[row + ofRequest] = hashed.low
    table[row + ofRequest + 1] = hashed.high
    write(serial, counted)
    cut(row)
    return serial
  }

  function link(serial: number): void {
    const row = rowOf(serial)
    table[row + next] = heads[headOf(row)]!
    heads[headOf(row)] = serial
  }

  function grow(): void {
    room *= 2
    table = new Uint32Array(table.buffer.transfer(room * columns * 4))
    wide = new Float64Array(wide.buffer.transfer(room * wideColumns * 8))
    heads = new Uint32Array(room)
    for (let serial = 1; serial <= newest; serial++) if (commons[slotOf(serial)] !== undefined) link(serial)
  }

  /** Forgets the oldest of the messages with one id. */
  function cut(newestRow: number): void {
    let left = mostOfOneId
    for (let one = table[newestRow + next]!; one !== 0; one = table[rowOf(one) + next]!) {
      const row = rowOf(one)
      if (table[row + ofId] === table[newestRow + ofId] && table[row + ofId + 1] === table[newestRow + ofId + 1] && --left === 0)
        return drop(one)
    }
  }

  function drop(serial: number): void {
    const row = rowOf(serial)
    const head = headOf(row)
    commons[slotOf(serial)] = undefined
    if (heads[head] === serial) return void (heads[head] = table[row + next]!)
    let one = heads[head]!
    while (table[rowOf(one) + next] !== serial) one = table[rowOf(one) + next]!
    table[rowOf(one) + next] = table[row + next]!
  }

  return { find, read, write, add, isKnown }
}

const isEqual = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((text, index) => text === b[index]))

const isNarrow = ({ input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0 }: Claim['tokens']): boolean =>
  input >>> 0 === input &&
  output >>> 0 === output &&
  reasoning >>> 0 === reasoning &&
  cacheRead >>> 0 === cacheRead &&
  cacheWrite >>> 0 === cacheWrite &&
  cacheWriteLong >>> 0 === cacheWriteLong

// ── hashes ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Of the last text; an object for each would take longer than the hash. */
const hashed = { low: 0, high: 0 }

const hashRequest = (request: string | undefined): void => {
  if (request !== undefined) return hash(request)
  hashed.low = 0
  hashed.high = 0
}

/** Two products that go on with each letter, then mixed so that each bit of the text changes half of all bits. */
function hash(text: string): void {
  let a = 0x9e3779b9 ^ text.length
  let b = 0x85ebca6b ^ text.length
  for (let index = 0; index < text.length; index++) {
    const letter = text.charCodeAt(index)
    a = Math.imul(a ^ letter, 0x9e3779b1)
    b = Math.imul(b ^ letter, 0x5f356495)
    b ^= b >>> 15
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
  b = Math.imul(b ^ (b >>> 16), 0x27d4eb2f) ^ Math.imul(a ^ (a >>> 13), 0x165667b1)
  hashed.low = (a ^ (a >>> 16)) >>> 0
  hashed.high = (b ^ (b >>> 15)) >>> 0
}
