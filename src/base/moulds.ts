// A faster JSON.parse for lines that are alike, as those of a stream are: nine in ten differ from an earlier one only in some texts and
// numbers. A mould is such a line with holes (wasm/moulds.ts proves in WebAssembly that a line fits, and finds what changed) and a
// function that makes its object from what is in the holes. The values are those that JSON.parse gives; what fits no mould is for it.
// The surprise: arrays of texts and numbers that did not change are shared by the objects, so nobody may change a record.
import { utf8 } from './bytes.ts'
import { isRawJson, isRecord, mayHoldBigNumber, mayHoldHugeNumber, numberOf, parseJson, type Rec, stringifyJson } from './json.ts'
import { code } from './moulds.gen.js'
import { offerSearch } from './needles.ts'
import { forgetSpans, keepSpan } from './spans.ts'

/** Lines longer than this are left to JSON.parse. */
const mostLine = 0xb0000
/** So many of the first and last bytes of a skimmed text are told: readers look at 200 characters, of one, two or three bytes. */
const leastSkimmed = { plain: 256, escaped: 448, wide: 640 }
/** It is cut within so many bytes more. */
const cutWithin = 64
const longText = 2 * (leastSkimmed.plain + cutWithin)
/** A chunk may be at most so long to be read where it lies. */
export const mostChunk = 0x20000

// The layout of wasm/moulds.ts.
const found = 0x1000
const entries = found + 16
const gather = 0x4000
const chunkAt = 0x20000
const lineAt = 0x44000
const scratch = 0x100000
const mostHoles = 64
const mostLast = 64

const space = 0x20
const quote = 0x22
const backslash = 0x5c
/** An array that is longer may as well be parsed. */
const mostOneText = 100

const how = { gathered: 0, number: 1, numberText: 2, json: 3, text: 4, escaped: 1, wide: 2, known: 8, numbers: 9, fresh: 16 } as const
/** Texts that are told again as the same string. */
const mostKnown = 128
const kinds = ['string', 'number', 'object'] as const

// A stream that never repeats itself must not pay for much: so many functions are compiled at first, then one for each so many lines that
// fit no mould, and of those only one in eight is looked at.
const firstMoulds = 128
const manyUnknown = 1000

type Engine = {
  memory: WebAssembly.Memory
  reset(): void
  breakAt(start: number, end: number): number
  match(start: number, end: number, open: boolean): number
  learn(start: number, end: number): number
  keep(): number
  unescape(start: number, end: number): number
  skim(start: number, headEnd: number, tailStart: number, end: number): number
  mayHold(start: number, end: number): number
}
/**
 * `skims`: a hole each, 1 where nobody reads a long text as a whole. `form`: its number among all moulds that ever were.
 */
type Mould = { values: unknown[]; make(values: unknown[]): Rec; skims: Uint8Array | undefined; form: number }

export type Moulds = {
  /** The chunk's bytes where lines can be read in place. They are valid until the next call. */
  hold(chunk: Uint8Array): Uint8Array
  /** Where the next line break stands in bytes that are held, or -1. */
  breakAt(bytes: Uint8Array, start: number): number
  /** The object on this line, which must be valid UTF-8; undefined when it fits no mould. */
  read(bytes: Uint8Array, start: number, end: number): Rec | undefined
  /** The same of a line in bytes that are held: it ends before the next line break, at `lineEnd`. */
  readLine(start: number): Rec | undefined
  lineEnd(): number
  /** Of the object that was read last: those that share it have the same keys in the same order, in whatever stream. */
  form(): number
  /** What JSON.parse made of a line that was not known. */
  learn(value: unknown, bytes: Uint8Array, start: number, end: number): void
  /** Nothing more will be read: it can serve another stream. */
  free(): void
}

// What has served a stream serves the next one: an engine's memory reserves much address space, and the files that one command reads are alike.
const idle: { moulds: Moulds; wasm: Engine; options: MouldOptions }[] = []
let compiled: WebAssembly.Module | undefined
let forms = 0
let unable = false // no SIMD, or no code may be made at run time (a page's policy)

function engine(): Engine | undefined {
  const known = idle.pop()?.wasm
  if (known !== undefined || unable) return known
  try {
    compiled ??= new WebAssembly.Module(bytesOf(code))
    // oxlint-disable-next-line typescript/no-implied-eval -- whether it is allowed at all
    new Function('return 0')
    const made = new WebAssembly.Instance(compiled).exports as unknown as Engine
    offerSearch(new Uint8Array(made.memory.buffer), made.mayHold)
    return made
  } catch {
    unable = true
    return undefined
  }
}

let recent: Uint8Array | undefined // where the moulds that were used last hold their chunk

/** Where the next chunk can be put, so that it need not be copied there: of use until the next call. Undefined when nothing is being read. */
export function roomForChunk(): Uint8Array | undefined {
  if (recent !== undefined) forgetSpans()
  return recent
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))

/** As for the framer. */
export type MouldOptions = {
  plainNumbers?: boolean
  skimmed?: ReadonlySet<string> | undefined
}

/** Those of a stream that has ended, with all that they have learned, or new ones. */
export function borrowMoulds(options: MouldOptions): Moulds | undefined {
  const { plainNumbers, skimmed } = options
  const index = idle.findLastIndex(({ options: one }) => one.plainNumbers === plainNumbers && one.skimmed === skimmed)
  return index === -1 ? createMoulds(options) : idle.splice(index, 1)[0]!.moulds
}

/** Undefined where this cannot work; then JSON.parse does all. */
export function createMoulds(options: MouldOptions = {}): Moulds | undefined {
  const { plainNumbers = false } = options
  const wasm = engine()
  if (wasm === undefined) return undefined
  wasm.reset()
  const { buffer } = wasm.memory
  const memory = new Uint8Array(buffer)
  const table = new Int32Array(buffer)
  const room = memory.subarray(chunkAt, chunkAt + mostChunk)
  const floats = new Float64Array(buffer)
  const moulds: Mould[] = []
  const known: string[] = Array.from({ length: mostKnown }, () => '')
  const toNumber = plainNumbers ? Number : numberOf
  let unknown = 0
  let made = 0
  let form = 0
  let held: Uint8Array | undefined // the chunk; asking an array whose memory it is would take longer
  const long = new Uint8Array(mostHoles) // holes whose value is not remembered from line to line
  let longs = 0

  /** Undefined: it has an escape that only JSON.parse knows. */
  function decoded(start: number, end: number, kind: number): string | undefined {
    const decode = (kind & how.wide) === 0 ? latin1 : utf8
    if ((kind & how.escaped) === 0) return decode(memory, start, end)
    const size = wasm!.unescape(start, end)
    return size < 0 ? undefined : decode(memory, scratch, scratch + size)
  }

  function textAt(start: number, end: number, kind: number): string {
    const text = decoded(start, end, kind)
    if (text === undefined) return JSON.parse(utf8(memory, start - 1, end + 1)) as string
    keepSpan(text, memory, start, end)
    return text
  }

  /** Its beginning and its end, where it can be cut: plain ASCII anywhere, other texts at spaces, which stand in no escape and no character. */
  function skimmedAt(start: number, end: number, kind: number): string {
    const isPlain = kind === how.text
    const least = isPlain ? leastSkimmed.plain : (kind & how.wide) === 0 ? leastSkimmed.escaped : leastSkimmed.wide
    if (end - start <= 2 * (least + cutWithin)) return textAt(start, end, kind)
    const first = isPlain ? start + least : spaceIn(start + least)
    const last = isPlain ? end - least : spaceIn(end - least - cutWithin)
    const size = first === -1 || last === -1 ? -1 : wasm!.skim(start, first, last, end)
    return size < 0
      ? textAt(start, end, kind)
      : (kind & how.wide) === 0
        ? latin1(memory, scratch, scratch + size)
        : utf8(memory, scratch, scratch + size)
  }

  function spaceIn(start: number): number {
    for (let at = start; at < start + cutWithin; at++) if (memory[at] === space) return at
    return -1
  }

  function arrayAt(start: number, end: number, hasNumber: boolean): unknown {
    if (isOneText(start, end)) return [latin1(memory, start + 2, end - 2)]
    const text = utf8(memory, start, end)
    return plainNumbers || !hasNumber || !(mayHoldBigNumber(memory, start, end) || mayHoldHugeNumber(text))
      ? JSON.parse(text)
      : parseJson(text)
  }

  /** A plain one, as in `["src/a.ts"]`. */
  function isOneText(start: number, end: number): boolean {
    if (end - start > mostOneText || memory[start + 1] !== quote) return false
    for (let at = start + 2; at < end - 2; at++) if (memory[at] === quote || memory[at] === backslash || memory[at]! > 0x7e) return false
    return true
  }

  /** Puts what changed since the last line of this mould in its holes. */
  function fill({ values, skims }: Mould): void {
    const size = table[(found >> 2) + 1]!
    const texts = size === 0 ? '' : latin1(memory, gather, gather + size)
    for (let entry = entries >> 2, end = entry + table[found >> 2]! * 4; entry < end; entry += 4) {
      const one = table[entry]!
      const other = table[entry + 1]!
      const kind = table[entry + 3]!
      let value: unknown
      if (kind === how.gathered) value = texts.substring(one, other)
      else if (kind === how.known) value = known[one]
      else if (kind >= how.fresh) value = known[kind >> 5] = texts.substring(one, other)
      else if (kind === how.number) value = floats[entry >> 1]
      else if (kind === how.numberText) value = toNumber(latin1(memory, one, other))
      else {
        if (kind === how.json || kind === how.numbers) value = arrayAt(one, other, kind === how.numbers)
        else if (skims?.[table[entry + 2]!] === 1 && other - one > longText) value = skimmedAt(one, other, kind)
        else value = textAt(one, other, kind)
        if (other - one > mostLast) long[longs++] = table[entry + 2]!
      }
      values[table[entry + 2]!] = value
    }
  }

  /** Where the line is read: in the chunk, or a copy of it; -1 when it is too long for that. */
  function placed(bytes: Uint8Array, start: number, end: number): number {
    if (bytes === held) return chunkAt + start
    if (end - start > mostLine) return -1
    memory.set(bytes.subarray(start, end), lineAt)
    memory[lineAt + end - start] = 0
    return lineAt
  }

  function objectOf(index: number): Rec | undefined {
    forgetSpans()
    if (index === -1) return undefined
    const mould = moulds[index]!
    const { values, make } = mould
    fill(mould)
    form = mould.form
    const record = make(values)
    while (longs > 0) values[long[--longs]!] = undefined // the next line brings its own: nobody needs to keep it
    return record
  }

  const own: Moulds = {
    hold(chunk) {
      forgetSpans()
      if (chunk.buffer !== buffer || chunk.byteOffset !== chunkAt) memory.set(chunk, chunkAt)
      recent = room
      memory[chunkAt + chunk.length] = 0 // ends every text
      return (held = memory.subarray(chunkAt, chunkAt + chunk.length))
    },
    breakAt(bytes, start) {
      const at = wasm.breakAt(chunkAt + start, chunkAt + bytes.length)
      return at === -1 ? -1 : at - chunkAt
    },
    read(bytes, start, end) {
      const at = placed(bytes, start, end)
      return objectOf(at === -1 ? -1 : wasm.match(at, at + end - start, false))
    },
    readLine: (start) => objectOf(wasm.match(chunkAt + start, chunkAt + held!.length, true)),
    lineEnd: () => table[(found >> 2) + 2]! - chunkAt,
    form: () => form,
    learn(value, bytes, start, end) {
      unknown++
      if (!isRecord(value) || made > firstMoulds + unknown / manyUnknown) return
      if (unknown > manyUnknown && unknown % 8 !== 0) return
      const at = placed(bytes, start, end)
      if (at === -1 || wasm.learn(at, at + end - start) === -1) return
      made++
      const mould = mouldOf(value, table, options)
      if (mould !== undefined) moulds[wasm.keep()] = mould
    },
    free() {
      forgetSpans()
      unknown = made = 0
      if (recent === room) recent = undefined
      idle.push({ moulds: own, wasm, options })
    },
  }
  return own
}

type Slice = (this: Uint8Array, start: number, end: number) => string
const nodeSlice = (globalThis as { Buffer?: { prototype: { latin1Slice?: Slice } } }).Buffer?.prototype.latin1Slice
/** ASCII only: to a browser's decoder Latin-1 is another alphabet. */
const latin1: typeof utf8 = nodeSlice ? (bytes, start, end) => nodeSlice.call(bytes, start, end) : utf8

/** As wasm/moulds.ts has them. */
const telling: ReadonlySet<string> = new Set(['type', 'kind', 'role', 'event', 'subtype'])
const plainKey = /^[A-Za-z_$][\w$-]*$/

/**
 * The function is made of the keys alone, and only if each is a plain word: what came from outside never becomes code.
 * Undefined: the object does not show the line's own order (a key stands twice), so that holes and values cannot be brought together.
 */
function mouldOf(record: Rec, table: Int32Array, { skimmed }: MouldOptions): Mould | undefined {
  const skims = new Uint8Array(mostHoles)
  const holes: unknown[] = []
  const words: string[] = []
  let keys = 0
  let fit = true
  const slot = (value: unknown, path: string): string => {
    if (skimmed?.has(path) === true) skims[holes.length] = 1
    fit &&= typeof value === kinds[table[(entries >> 2) + holes.length * 4]!]
    return `v[${holes.push(value) - 1}]`
  }
  const write = (value: unknown, key: string, path: string): string => {
    if (typeof value === 'string' && telling.has(key)) return `w[${words.push(value) - 1}]`
    if (typeof value === 'string' || typeof value === 'number' || isFlat(value)) return slot(value, path)
    if (Array.isArray(value)) return `[${value.map((item) => write(item, '', `${path}.*`)).join()}]`
    if (!isRecord(value)) return ((fit &&= !isRawJson(value)), stringifyJson(value))
    const members = Object.entries(value).map(([name, item]) => {
      keys++
      fit &&= plainKey.test(name) && name !== '__proto__'
      return `${JSON.stringify(name)}:${write(item, name, path === '' ? name : `${path}.${name}`)}`
    })
    return `{${members.join()}}`
  }
  const body = write(record, '', '')
  if (!fit || holes.length !== table[found >> 2] || keys !== table[(found >> 2) + 1]) return undefined
  // oxlint-disable-next-line typescript/no-implied-eval -- see above: plain words and numbers only
  const make = new Function('w', `return v=>(${body})`)(words) as Mould['make']
  return { values: holes, make, skims: skims.includes(1) ? skims : undefined, form: ++forms }
}

const isFlat = (value: unknown): boolean => Array.isArray(value) && value.every((item) => item === null || typeof item !== 'object')
