// Output in one buffer, with a JSON writer that puts values there at once: no text is made of a record first. The surprise: the buffer is
// the memory of a piece of WebAssembly (wasm/escape.ts), which escapes long texts several times as fast as JSON.stringify.
import { isRawJson, type Rec, stringifyJson } from '../base/json.ts'
import { type Span, spanOf } from '../base/spans.ts'
import { code } from './escape.gen.js'

// The memory. Its first part is the engine's own.
const scratch = 0x10000 // a piece of text as UTF-8, whose escapes are still to come
const start = 0x80000 // of the output
const most = 0x180000 // a short text may end a little behind
const namesAt = 0x190000 // keys, each with room for a short value
const namesMost = 0x270000
/** Characters of a text that are written in one go: each may take six bytes. */
const mostPiece = 0x20000
/** A text as short as this is written letter by letter; beyond, two calls out of JavaScript cost less. */
const shortText = 32
const longText = 256
const longKey = 64
const mostDepth = 200
const billion = 1e9 // a number below it is divided as a machine does it

export type JsonOut = {
  text(text: string): void
  /** The value as JSON.stringify writes it, and a line break. */
  json(value: unknown): void
  byte(byte: number): void
  flush(): void
}

/** Node's own, as `write` with fewer questions. */
type Utf8Buffer = Buffer & { utf8Write(text: string, at: number): number }
/**
 * A key below another, and where it stands with comma, quotes and colon, and behind them the short text that was its value the last time.
 * Records of a stream are alike: the key that comes next is nearly always the one that came next before.
 */
type Name = {
  key: string
  from: number
  end: number
  value: string
  valueEnd: number
  next: Name | undefined
  first: Name | undefined
  below: Map<string, Name> | undefined
}
type Engine = {
  memory: { buffer: ArrayBuffer }
  escape(from: number, end: number, to: number): number
  copy(from: number, end: number, to: number): void
}

/** `write` gets the bytes whenever the buffer is full or flushed; they are valid only during the call. */
export function createJsonOut(write: (bytes: Uint8Array) => void): JsonOut {
  const wasm = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(code, 'base64'))).exports as unknown as Engine
  const memory = Buffer.from(wasm.memory.buffer) as Utf8Buffer
  let namesEnd = namesAt
  const root = newName('', 0)
  let at = start
  let read: Uint8Array | undefined // the bytes of lines, and they again as what copies fastest
  let readBuffer: Buffer = memory
  let last: string | undefined // long text: what a tool printed may stand twice in its record
  let lastAt = 0
  let lastEnd = 0

  function flush(): void {
    const end = at
    at = start
    last = undefined
    if (end > start) write(memory.subarray(start, end))
  }

  function text(data: string): void {
    if (data.length > mostPiece) for (const piece of piecesOf(data)) text(piece)
    else {
      if (at + data.length * 3 > most) flush()
      at += memory.utf8Write(data, at)
    }
  }

  function byte(value: number): void {
    if (at >= most) flush()
    memory[at++] = value
  }

  /** A few of them: a loop is faster than `set`. */
  function bytes(data: Uint8Array): void {
    if (at + data.length > most) flush()
    let to = at
    for (let index = 0; index < data.length; index++) memory[to++] = data[index]!
    at = to
  }

  // ── JSON ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function string(value: string): void {
    if (value.length <= shortText && letters(value)) return
    byte(0x22)
    const span = value.length > longText ? spanOf(value) : undefined
    if (span !== undefined) spelled(span)
    else if (value.length <= mostPiece) escaped(value)
    else for (const piece of piecesOf(value)) escaped(piece)
    byte(0x22)
  }

  /** As the line that was read has it. */
  function spelled({ bytes: line, start: from, end }: Span): void {
    if (at + end - from > most) flush()
    if (line !== read) {
      read = line
      readBuffer = Buffer.from(line.buffer, line.byteOffset, line.byteLength)
    }
    at += readBuffer.copy(memory, at, from, end)
  }

  /** A short text in quotes. False, and nothing is written: not all of it is plain. */
  function letters(value: string): boolean {
    let to = at
    memory[to++] = 0x22
    for (let index = 0; index < value.length; index++) {
      const letter = value.charCodeAt(index)
      if (letter < 0x20 || letter > 0x7f || letter === 0x22 || letter === 0x5c) return false
      memory[to++] = letter
    }
    memory[to++] = 0x22
    at = to
    return true
  }

  function escaped(value: string): void {
    if (at + value.length * 6 + 16 > most) flush()
    const from = at
    if (value === last) {
      memory.copyWithin(at, lastAt, lastEnd)
      at += lastEnd - lastAt
      return
    }
    const end = wasm.escape(scratch, scratch + memory.utf8Write(value, scratch), at)
    if (end === -1) at += memory.utf8Write(JSON.stringify(value).slice(1, -1), at)
    else at = end
    if (value.length < longText) return
    last = value
    lastAt = from
    lastEnd = at
  }

  /** Whole numbers without a string of them: nearly all are. */
  function number(value: number): void {
    if (value >>> 0 === value) return digits(value, 1)
    if (value > 0 && Number.isSafeInteger(value)) {
      const high = Math.floor(value / billion)
      digits(high, 1)
      return digits(value - high * billion, 9)
    }
    const text = Number.isFinite(value) ? `${value}` : 'null'
    for (let index = 0; index < text.length; index++) memory[at++] = text.charCodeAt(index)
  }

  /** Zeros stand before it when it has fewer digits than `least`. */
  function digits(value: number, least: number): void {
    let size = least
    for (let limit = least === 1 ? 10 : billion; value >= limit; limit *= 10) size++
    let rest = value
    for (let to = at + size - 1; to >= at; to--) {
      const less = (rest / 10) >>> 0
      memory[to] = 0x30 + rest - less * 10
      rest = less
    }
    at += size
  }

  function array(values: readonly unknown[], depth: number, above: Name): void {
    if (values.length === 0) return bytes(literals.array)
    for (let index = 0; index < values.length; index++) {
      byte(index === 0 ? 0x5b : 0x2c)
      any(values[index], depth, above)
    }
    byte(0x5d)
  }

  function object(value: Rec, depth: number, above: Name): void {
    let before: Name | undefined
    for (const key in value) {
      const item = value[key]
      if (item === undefined) continue
      if (before === undefined && key === 'rawJSON' && isRawJson(value)) return text(item as string)
      let name = before === undefined ? above.first : before.next
      if (name === undefined || name.key !== key) name = nameOf(key, before, above)
      if (name === undefined) {
        text(`${before === undefined ? '{' : ','}${JSON.stringify(key)}:`)
        any(item, depth, (before = root))
        continue
      }
      if (at >= most) flush()
      let from = name.from
      if (before === undefined) {
        memory[at++] = 0x7b
        from++ // without the comma
      }
      before = name
      if (typeof item === 'string' && item.length <= shortText) short(name, from, item)
      else {
        copy(from, name.end)
        any(item, depth, name)
      }
    }
    if (before === undefined) bytes(literals.object)
    else byte(0x7d)
  }

  /** Behind its key. Most are those of a record before. */
  function short(name: Name, from: number, value: string): void {
    if (name.value === value) return copy(from, name.valueEnd)
    copy(from, name.end)
    const valueAt = at
    if (!letters(value)) return string(value)
    wasm.copy(valueAt, at, name.end)
    name.value = value
    name.valueEnd = name.end + at - valueAt
  }

  function copy(from: number, end: number): void {
    wasm.copy(from, end, at)
    at += end - from
  }

  /** Undefined: the key is not worth to be remembered. */
  function nameOf(key: string, before: Name | undefined, above: Name): Name | undefined {
    let name = above.below?.get(key)
    if (name === undefined) {
      if (key.length > longKey || namesEnd > namesMost) return undefined
      name = newName(key, memory.utf8Write(`,${JSON.stringify(key)}:`, namesEnd))
      above.below ??= new Map()
      above.below.set(key, name)
    }
    if (before === undefined) above.first = name
    else before.next = name
    return name
  }

  function newName(key: string, size: number): Name {
    const from = namesEnd
    const end = from + size
    namesEnd = end + shortText + 32
    memory[end] = memory[end + 1] = 0x22
    return { key, from, end, value: '', valueEnd: end + 2, next: undefined, first: undefined, below: undefined }
  }

  function any(value: unknown, depth: number, above: Name): void {
    if (at >= most) flush()
    if (typeof value === 'string') string(value)
    else if (typeof value === 'number') number(value)
    else if (typeof value !== 'object' || value === null)
      bytes(value === true ? literals.true : value === false ? literals.false : literals.null)
    else if (depth > mostDepth) text(stringifyJson(value)) // it does without recursion
    else if (Array.isArray(value)) array(value, depth + 1, above)
    else object(value as Rec, depth + 1, above)
  }

  return {
    text,
    json(value) {
      any(value, 0, root)
      byte(0x0a)
    },
    byte,
    flush,
  }
}

const literals = {
  true: Buffer.from('true'),
  false: Buffer.from('false'),
  null: Buffer.from('null'),
  array: Buffer.from('[]'),
  object: Buffer.from('{}'),
}

/** Cuts a text where no surrogate pair is. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let end = Math.min(from + mostPiece, text.length)
    if (end < text.length && isHigh(text.charCodeAt(end - 1))) end--
    yield text.slice(from, end)
    from = end
  }
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
