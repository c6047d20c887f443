// Some values out of a line of JSON, without making all the rest of it: many times as fast as JSON.parse, and the same values.
// Only plain JSON is read (wasm/pick.ts, in WebAssembly): without blanks between its parts, without escapes in keys, no wanted key
// twice. JSON.parse is for all else, and for what may be no JSON at all.
import { utf8 } from '../base/bytes.ts'
import { isRecord, type Rec } from '../base/json.ts'
import { type FindLine, lineFinder } from './usage-lines.ts'
import { code } from './usage-pick.gen.js'

export type Picked = readonly unknown[]

export type Picker<Name extends string> = {
  /** Where each value is in what was picked. */
  at: Record<Name, number>
  /** Lines are found and picked where they lie in here; elsewhere it takes longer. */
  room: Buffer
  find: FindLine
  /**
   * The values, valid until the next call; undefined when the line is no JSON object. An object may be told as an empty one.
   */
  pick(bytes: Buffer, start: number, end: number): Picked | undefined
}

// The layout of wasm/pick.ts.
const entries = 0x1000
const mostSlots = 32
const marksAt = 0x1800
const lineAt = 0x1820
const keysAt = 0x4000
const keySize = 64
const roomAt = 0x10000
const roomSize = 0x40000 // a block that stays in the cache of the processor
const kind = { absent: 0, text: 1, escaped: 2, again: 3, number: 4, numberText: 5, word: 6 } as const
const words = new Map([
  [110, null],
  [116, true],
  [102, false],
])
const newline = 10
const anObject: Rec = {}

type Engine = {
  memory: { buffer: ArrayBuffer }
  find(start: number, end: number): number
  pick(start: number, end: number, keys: number, slots: number): number
}
type Keys = Map<string, { slot: number; inside: Keys }>

/** What is wanted: paths, which are keys with points between; and of which lines: of those that hold one of two texts, of 2 to 8 bytes. */
export function createPicker<Name extends string>(wanted: Record<Name, string>, marks: readonly [string, string]): Picker<Name> {
  const paths: string[] = Object.values(wanted)
  const engine = startEngine()
  const buffer = engine?.memory.buffer ?? new ArrayBuffer(roomAt + roomSize)
  const memory = Buffer.from(buffer)
  const table = new Int32Array(buffer)
  const floats = new Float64Array(buffer)
  const { keys, slots } = keysOf(paths)
  writeKeys(memory, keys, keysAt)
  for (const [index, mark] of marks.entries()) {
    const place = marksAt + index * 16
    const size = memory.write(mark, place)
    memory.fill(0xff, place + 8, place + 8 + size)
  }
  const findElsewhere = lineFinder(marks)
  const values: unknown[] = paths.map(() => undefined)
  const texts: string[] = paths.map(() => '')

  function valueOf(slot: number, entry: number): unknown {
    const what = table[entry + 3]
    if (what === kind.absent) return undefined
    if (what === kind.again) return texts[slot]
    if (what === kind.number) return floats[entry >> 1]
    const place = table[entry]!
    const end = table[entry + 1]!
    if (what === kind.text) return (texts[slot] = utf8(memory, place, end))
    if (what === kind.escaped) return (texts[slot] = JSON.parse(utf8(memory, place - 1, end + 1)) as string)
    if (what === kind.numberText) return Number(utf8(memory, place, end))
    return what === kind.word ? words.get(place) : anObject
  }

  return {
    at: Object.fromEntries(Object.keys(wanted).map((name, slot) => [name, slot])) as Record<Name, number>,
    room: memory.subarray(roomAt, roomAt + roomSize),
    find(bytes, from, line) {
      if (bytes.buffer !== buffer || engine === undefined) return findElsewhere(bytes, from, line)
      const offset = bytes.byteOffset
      if (engine.find(offset + from, offset + bytes.length) === 0) return false
      line.start = table[lineAt >> 2]! - offset
      line.end = table[(lineAt >> 2) + 1]! - offset
      return true
    },
    pick(bytes, start, end) {
      const offset = bytes.byteOffset
      // The newline ends whatever is read: it stands in no text, and is no part of plain JSON.
      if (bytes.buffer === buffer && bytes[end] === newline && engine?.pick(offset + start, offset + end, keysAt, slots) === 1) {
        for (let slot = 0; slot < values.length; slot++) values[slot] = valueOf(slot, (entries >> 2) + slot * 4)
        return values
      }
      const record = parsed(utf8(bytes, start, end))
      if (!isRecord(record)) return undefined
      for (let slot = 0; slot < values.length; slot++) values[slot] = valueAt(record, paths[slot]!)
      return values
    },
  }
}

/** Undefined where there is no WebAssembly, as in a Node that may not make code at run time: JSON.parse does it all then. */
function startEngine(): Engine | undefined {
  if (typeof WebAssembly === 'undefined') return undefined
  return new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(code, 'base64'))).exports as unknown as Engine
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const valueAt = (record: Rec, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), record)

/** The paths as a tree. The keys on the way to others have slots too, behind those of the paths: none of them may stand twice. */
function keysOf(paths: readonly string[]): { keys: Keys; slots: number } {
  const keys: Keys = new Map()
  let slots = paths.length
  const known = (path: string): number => (paths.includes(path) ? paths.indexOf(path) : slots++)
  for (const path of paths) {
    let level = keys
    let way = ''
    for (const name of path.split('.')) {
      way = way === '' ? name : `${way}.${name}`
      if (!level.has(name)) level.set(name, { slot: known(way), inside: new Map() })
      level = level.get(name)!.inside
    }
  }
  if (slots > mostSlots) throw new RangeError('too many paths')
  return { keys, slots }
}

/** Behind what was written. */
function writeKeys(memory: Buffer, keys: Keys, at: number): number {
  memory.writeInt32LE(keys.size, at)
  let key = at + 16
  let free = key + keys.size * keySize
  for (const [name, { slot, inside }] of keys) {
    memory.writeInt32LE(memory.write(name, key + 16), key)
    memory.writeInt32LE(slot, key + 4)
    memory.writeInt32LE(inside.size === 0 ? 0 : free, key + 8)
    if (inside.size > 0) free = writeKeys(memory, inside, free)
    key += keySize
  }
  return free
}
