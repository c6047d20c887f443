// Lines that came one right after another and are alike in all but one text, such as the pieces of an answer: found together, and
// written together in another form. wasm/pieces.ts does both, in the memory where the lines lie.
import { utf8 } from './bytes.ts'
import { bytesOf, latin1 } from './moulds.ts'
import { code } from './pieces.gen.js'

// The layout of wasm/pieces.ts.
const pieces = 0x310000
const holesOf = 0x312000
const joined = 0x314000
const template = 0x324000
const written = 0x330000
const roomOfWritten = 0x40000
const longestTemplate = 1024
const newline = 0x0a
const nothing = new Uint8Array()
const lineBreak = Uint8Array.of(newline)

/** Paths of texts in a record. Of records that are alike in all else: `told` is what each has to say, and `silent` says nothing. */
export type PiecePaths = { told: ReadonlySet<string>; silent: ReadonlySet<string> }

/** A `WebAssembly.Memory`. Not by that name: it is published, and Node's types have none. */
type Memory = { readonly buffer: ArrayBuffer }

/** A line that was read in a chunk, its mould, and the holes of the two texts; `end` is that of the chunk. */
export type PiecePlace = { memory: Memory; mould: number; told: number; silent: number; start: number; end: number }

/** What differs from piece to piece in a line that is written for each; known to wasm/pieces.ts. */
export const pieceValue = { text: 0, number: 1, record: 2, offset: 3, length: 4, line: 5 } as const
export type PieceValue = (typeof pieceValue)[keyof typeof pieceValue]

/**
 * A line, its places where something else stands for each piece, in their order, and what stands before and after it: nothing, and a line
 * break, unless it says otherwise. Without places nothing can be written.
 */
export type Template = { line: Uint8Array; holes: readonly Hole[] | undefined; before?: Uint8Array; after?: Uint8Array }
/** Numbers of the first piece, from which those of the others are counted. */
export type First = { number: number; record: number; offset: number; line: number }
export type Hole = { from: number; to: number; what: PieceValue }

/** At least two lines. All of it is valid until the next is read. */
export type Alike = {
  count: number
  /** Bytes from the beginning of the first to what follows the last. */
  size: number
  /** Their texts, one behind the other. */
  text: string
  /** Of the line of that index. `start` counts from the first, `end` is that of its text among the others. */
  line(index: number): { start: number; length: number; end: number }
  /**
   * The template once for each of the first `count`; undefined when it is too long, or has no places.
   * `room`: 0 or 1, what is written to the one stays while others write to the other.
   */
  write(room: number, count: number, template: Template, first: First): Uint8Array | undefined
}

export type PieceFinder = { paths: PiecePaths; find(place: PiecePlace): Alike | undefined }

export const pieceFinder = (paths: PiecePaths): PieceFinder => ({ paths, find: (place) => finderIn(place.memory)(place) })

type Engine = {
  alike(mould: number, start: number, end: number, told: number, silent: number): number
  write(room: number, count: number, size: number, holes: number, number: number, record: number, offset: number, line: number): number
}
type Find = (place: PiecePlace) => Alike | undefined

let compiled: WebAssembly.Module | undefined
const finders = new WeakMap<Memory, Find>()

function finderIn(memory: Memory): Find {
  let find = finders.get(memory)
  if (find === undefined) finders.set(memory, (find = createFind(memory)))
  return find
}

function createFind(of: Memory): Find {
  compiled ??= new WebAssembly.Module(bytesOf(code))
  const wasm = new WebAssembly.Instance(compiled, { env: { memory: of as WebAssembly.Memory } }).exports as unknown as Engine
  const memory = new Uint8Array(of.buffer)
  const table = new Int32Array(of.buffer)
  const wordAt = (place: number): number => table[place >> 2]!

  function line(index: number): { start: number; length: number; end: number } {
    const at = pieces + index * 32
    const start = wordAt(at)
    return { start: start - wordAt(pieces), length: wordAt(at + 4) - start, end: wordAt(at + 16) }
  }

  function write(
    room: number,
    count: number,
    { line: text, holes, before = nothing, after = lineBreak }: Template,
    { number, record, offset, line: first }: First,
  ): Uint8Array | undefined {
    const size = before.length + text.length + after.length
    if (holes === undefined || size > longestTemplate) return undefined
    memory.set(before, template)
    memory.set(text, template + before.length)
    memory.set(after, template + size - after.length)
    let at = holesOf >> 2
    for (const { from, to, what } of holes) {
      table[at++] = from + before.length
      table[at++] = to + before.length
      table[at++] = what
    }
    const start = written + room * roomOfWritten
    return memory.subarray(start, start + wasm.write(room, count, size, holes.length, number, record, offset, first))
  }

  return ({ mould, told, silent, start, end }) => {
    const count = wasm.alike(mould, start, end, told, silent)
    if (count < 2) return undefined
    const last = line(count - 1)
    const stop = last.start + last.length
    const size = stop + (memory[start + stop] === newline ? 1 : 2)
    const bytes = wordAt(pieces + (count - 1) * 32 + 20)
    const decode = bytes === last.end ? latin1 : utf8
    return { count, size, text: decode(memory, joined, joined + bytes), line, write }
  }
}
