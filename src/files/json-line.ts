// Records as lines of JSON, in bytes. Of records of one sort, one after another, most fields are the same, and the others are as long:
// what differs is written over the last line, so that a line costs a fraction of what JSON.stringify takes for it.
import { stringifyJson } from '../base/json.ts'
import { spanOf } from '../base/spans.ts'

/** `text`: its bytes, valid until the next is asked for. `shape`: lines that share it have the same keys in the same order. */
export type Line = { text: Uint8Array; shape: number }

export type JsonLines = {
  /** As JSON.stringify makes it. `sort`: any name; records that have much in common should share one. */
  line(record: object, sort: string): Line
}

/** The last line of a sort. Of each field, in order: its key, its value when that is short, and where it stands. */
type Form = Line & {
  /** The line stands in the first `size` of these. */
  bytes: Buffer
  /** Those that `text` is a part of. */
  viewed: Buffer | undefined
  size: number
  fields: number
  keys: string[]
  values: unknown[]
  /** Of the field with its comma; one more for the end of the last. */
  starts: number[]
  /** Of a text or a number that can be written over, without quotes. */
  froms: number[]
  tos: number[]
}

const mostForms = 64
const usualSize = 1024 // bytes
const longestKept = 4096 // bytes of a line that the next is written over
const mostFields = 256
const deepest = 3 // objects in objects; what lies deeper is left to JSON.stringify, which has a way for any depth
const longestText = 256 // characters of one that is remembered
const widest = 3 // bytes that one unit of a text may take
const spare = 64 // bytes that are always free: for a number, quotes and braces

const nowhere = 0 // there stands the first brace

// Values that no record has.
const opened = Symbol('the fields of an object follow')
const closed = Symbol('they end here')
const forgotten = Symbol('a value that is not remembered')

let shapes = 0

const newForm = (): Form => ({
  text: new Uint8Array(),
  bytes: Buffer.allocUnsafeSlow(usualSize),
  viewed: undefined,
  size: 0,
  shape: ++shapes,
  fields: 0,
  keys: [],
  values: [],
  starts: [],
  froms: [],
  tos: [],
})

export function createJsonLines(): JsonLines {
  const forms = new Map<string, Form>()
  let form = newForm()
  let lastSort: string | undefined // records of one sort come in runs
  let depth = 0
  let isSame = false // up to here the line is the last one, or was written over it

  function formOf(sort: string): Form {
    const known = forms.get(sort)
    if (known !== undefined) return known
    const made = newForm()
    if (forms.size < mostForms) forms.set(sort, made)
    return made
  }

  /** The fields of an object, from the one of that index on. Returns the index of the next. */
  function fieldsOf(object: object, first: number): number {
    const { keys, values } = form
    let index = first
    for (const key in object) {
      const value = (object as Record<string, unknown>)[key]
      if (isSame && keys[index] === key) {
        if (values[index] === value) {
          index++
          continue
        }
        if (typeof value === 'number' ? overNumber(form, index, value) : typeof value === 'string' && overText(form, index, value)) {
          index++
          continue
        }
        if (values[index] === opened && isPlain(value)) {
          index = inner(value, index + 1)
          continue
        }
      }
      if (isSame) cut(index)
      index = add(key, value, index)
    }
    return index
  }

  function inner(object: object, first: number): number {
    depth++
    const index = fieldsOf(object, first)
    depth--
    if (isSame && form.values[index] === closed) return index + 1
    if (isSame) cut(index)
    reshape(form, index, '', closed)
    form.values[index] = closed
    form.starts[index] = form.size
    put(form, closeOne)
    return index + 1
  }

  function add(key: string, value: unknown, index: number): number {
    const isObject = depth < deepest && isPlain(value)
    reshape(form, index, key, isObject ? opened : undefined)
    form.values[index] = undefined
    form.starts[index] = form.size
    form.froms[index] = nowhere
    if (value === undefined) return index + 1
    put(form, form.bytes[form.size - 1] === openBrace ? firstKeyOf(key) : keyOf(key))
    if (typeof value === 'number') addNumber(form, index, value)
    else if (typeof value === 'string') addText(form, index, value)
    else if (isObject) {
      form.values[index] = opened
      put(form, openOne)
      return inner(value, index + 1)
    } else {
      form.values[index] = forgotten
      encode(form, stringifyJson(value))
    }
    return index + 1
  }

  /** From this field on the line is written anew. */
  function cut(index: number): void {
    isSame = false
    form.size = form.starts[index]!
    form.fields = 0 // until it is whole again
  }

  return {
    line(record, sort) {
      if (sort !== lastSort) form = formOf((lastSort = sort))
      isSame = form.fields > 0
      depth = 0
      if (!isSame) {
        form.size = 0
        put(form, openOne)
      }
      const fields = fieldsOf(record, 0)
      if (isSame && fields === form.fields) return whole(form)
      if (isSame) cut(fields)
      if (form.keys.length !== fields) form.shape = ++shapes
      if (form.keys.length > fields) form.keys.length = form.values.length = fields // to set a length costs more than the fields
      form.fields = fields
      form.starts[fields] = form.size
      put(form, closeOne)
      if (form.size > longestKept || fields > mostFields) {
        forms.delete(sort)
        lastSort = undefined
      }
      return whole(form)
    },
  }
}

/** Several copy it, and to make a view takes as long as to copy one. */
function whole(form: Form): Line {
  const { text, bytes, size } = form
  if (text.length === size && form.viewed === bytes) return form
  form.text = new Uint8Array(bytes.buffer, 0, size) // a Buffer takes twice as long to make
  form.viewed = bytes // to ask the text whose memory it is would be a call out of compiled code, and another here
  return form
}

/** `mark`: whether an object begins or ends here. */
function reshape(form: Form, index: number, key: string, mark: unknown): void {
  const last = form.values[index]
  if (form.keys[index] === key && (last === opened || last === closed ? last : undefined) === mark) return
  form.keys[index] = key
  form.shape = ++shapes
}

/** Object.getPrototypeOf would tell, too, by a call out of compiled code. One with such a key of its own is written like a list. */
const isPlain = (value: unknown): value is object => typeof value === 'object' && value !== null && value.constructor === Object

// ── bytes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const newline = 0x0a
const quote = 0x22
const zero = 0x30
const backslash = 0x5c
const letterN = 0x6e
const openBrace = 0x7b
const [openOne, closeOne] = [Buffer.from('{'), Buffer.from('}')]

const mostKeys = 1024
const longestKey = 64
const keys = new Map<string, Buffer>()
const firstKeys = new Map<string, Buffer>()
const keyOf = (key: string): Buffer => keys.get(key) ?? keep(keys, key, `,${JSON.stringify(key)}:`)
const firstKeyOf = (key: string): Buffer => firstKeys.get(key) ?? keep(firstKeys, key, `${JSON.stringify(key)}:`)

function keep(known: Map<string, Buffer>, key: string, text: string): Buffer {
  const bytes = Buffer.from(text)
  if (known.size < mostKeys && key.length <= longestKey) known.set(key, bytes)
  return bytes
}

function room(form: Form, size: number): void {
  if (form.size + size + spare <= form.bytes.length) return
  const larger = Buffer.allocUnsafeSlow(2 * (form.size + size + spare))
  form.bytes.copy(larger, 0, 0, form.size)
  form.bytes = larger
}

function put(form: Form, bytes: Buffer): void {
  room(form, bytes.length)
  form.bytes.set(bytes, form.size)
  form.size += bytes.length
}

/** JSON as it stands. */
function encode(form: Form, text: string): void {
  room(form, text.length * widest)
  form.size += form.bytes.write(text, form.size)
}

// ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function addText(form: Form, index: number, text: string): void {
  const isShort = text.length <= longestText
  form.values[index] = isShort ? text : forgotten
  room(form, text.length * 2)
  form.bytes[form.size] = quote
  if (!isShort) return addLong(form, text)
  const from = form.size + 1
  const end = spell(form.bytes, from, text)
  if (end === -1) return encode(form, JSON.stringify(text))
  if (end - from === text.length) form.froms[index] = from
  form.size = form.tos[index] = end
  form.bytes[form.size++] = quote
}

/** Most come straight from the line that was just read, where they stand as they are to be spelled. */
function addLong(form: Form, text: string): void {
  const span = spanOf(text)
  if (span === undefined) return encode(form, JSON.stringify(text))
  const { bytes, start, end } = span
  room(form, end - start)
  form.bytes[form.size] = quote
  form.bytes.set(bytes.subarray(start, end), form.size + 1)
  form.size += end - start + 2
  form.bytes[form.size - 1] = quote
}

/** As long as the one before, so that it can stand in its place. */
function overText(form: Form, index: number, text: string): boolean {
  const from = form.froms[index]!
  if (typeof form.values[index] !== 'string' || from === nowhere || text.length !== form.tos[index]! - from) return false
  form.values[index] = text
  return ascii(form.bytes, from, text)
}

/** Writes a text with its escapes, and tells where it ends; -1 when it has more than ASCII, or an escape that is rare. */
function spell(bytes: Buffer, from: number, text: string): number {
  let at = from
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index)
    if (char === quote || char === backslash || char === newline) {
      bytes[at++] = backslash
      bytes[at++] = char === newline ? letterN : char
    } else if (char < 0x20 || char > 0x7e) return -1
    else bytes[at++] = char
  }
  return at
}

/** Writes what JSON does not escape and what takes one byte a character; false when the text is more than that. */
function ascii(bytes: Buffer, from: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index)
    if (char < 0x20 || char > 0x7e || char === quote || char === backslash) return false
    bytes[from + index] = char
  }
  return true
}

// ── numbers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const powers = Array.from({ length: 17 }, (_, exponent) => 10 ** exponent)
const isCount = (value: number): boolean => value >= 0 && value <= Number.MAX_SAFE_INTEGER && Number.isInteger(value)

function addNumber(form: Form, index: number, value: number): void {
  form.values[index] = value
  if (!isCount(value)) return encode(form, JSON.stringify(value))
  let length = 1
  while (value >= powers[length]!) length++
  const from = form.size
  form.froms[index] = from
  form.size = form.tos[index] = from + length
  digits(form.bytes, from, form.size, value)
}

/** With as many digits as the one before. */
function overNumber(form: Form, index: number, value: number): boolean {
  const from = form.froms[index]!
  const to = form.tos[index]!
  if (typeof form.values[index] !== 'number' || from === nowhere || !isCount(value)) return false
  if (value >= powers[to - from]! || (value < powers[to - from - 1]! && to - from > 1)) return false
  form.values[index] = value
  digits(form.bytes, from, to, value)
  return true
}

const part = 1e9 // numbers below it are divided faster

function digits(bytes: Buffer, from: number, to: number, value: number): void {
  let end = to
  let rest = value
  if (value >= part) {
    const front = Math.floor(value / part)
    digits(bytes, from, to - 9, front)
    rest = value - front * part
    from = to - 9
  }
  for (let low = rest | 0; end > from;) {
    const tenth = (low / 10) | 0
    bytes[--end] = zero + low - tenth * 10
    low = tenth
  }
}
