// `watch --format json`: each record once, its own bytes, and on request its class as the last key.
// `--format sluice`: the canonical events, with theirs.
import type { Class } from '../analyze/classify.ts'
import { utf8 } from '../base/bytes.ts'
import { stringifyJson } from '../base/json.ts'
import type { Span } from '../framing/framer.ts'
import { isSpace, newScan, scanToClose, skipSpace } from '../framing/scan.ts'
import type { Event } from '../model/event.ts'
import { sessionIn } from './watch-excerpt.ts'
import { highest, type View, type ViewOptions } from './watch-view.ts'

export function createJson({ put, wants, classify }: ViewOptions): View {
  return {
    ofRecords: true,
    show({ events, record, span, classes }) {
      if (span === undefined) return true
      if (record === undefined) {
        // Any other JSON value passes as it is; what is no JSON cannot.
        const isJson = events.some((event) => event.kind === 'issue' && event.code === 'not-object')
        if (isJson && wants(undefined, 'ACTIVITY')) put.bytes(onOneLine(span.bytes.subarray(span.start, span.end)))
        return isJson
      }
      const its = highest(classes)
      if (events.some(({ session }) => wants(session, its)) || wants(sessionIn(record), its))
        put.bytes(onOneLine(classify === 'no' ? span.bytes.subarray(span.start, span.end) : withClass(span, 'classify' in record, its)))
      return true
    },
  }
}

export function createSluice({ put, wants, classify }: ViewOptions): View {
  return {
    show({ events, record, span, classes }) {
      for (const [index, event] of events.entries()) {
        if (!wants(event.session, classes[index])) continue
        const { classify: _former, ...rest } = event as Event & { classify?: unknown }
        put.line(stringifyJson(classify === 'no' ? event : { ...rest, classify: classes[index] }))
      }
      return record !== undefined || span === undefined
    },
  }
}

const tailOf = (its: Class): Buffer => Buffer.from(`,"classify":"${its}"}`)
const tails: Record<Class, Buffer> = { MILESTONE: tailOf('MILESTONE'), FINDING: tailOf('FINDING'), ACTIVITY: tailOf('ACTIVITY') }
const comma = Buffer.from(',')

/** The bytes of an object with `classify` before its last brace, in place of any that it had. */
function withClass({ bytes, start, end }: Span, has: boolean, its: Class): Uint8Array {
  const object = has ? withoutKey(bytes.subarray(start, end), 'classify') : bytes.subarray(start, end)
  const close = object.lastIndexOf(0x7d)
  const isEmpty = skipSpace(object, 1, close) === close
  return Buffer.concat([object.subarray(0, close), tails[its].subarray(isEmpty ? 1 : 0)])
}

/** Members of an object stand between commas; those of this name are left out, with one comma each. */
function withoutKey(object: Uint8Array, name: string): Uint8Array {
  const close = object.lastIndexOf(0x7d)
  const kept: Uint8Array[] = []
  for (let at = 1; at < close;) {
    const end = endOfMember(object, at, close)
    const key = skipSpace(object, at, end)
    if (JSON.parse(utf8(object, key, endOfString(object, key))) !== name) kept.push(object.subarray(at, end))
    at = end + 1
  }
  const members = kept.flatMap((member, index) => (index === 0 ? [member] : [comma, member]))
  return Buffer.concat([object.subarray(0, 1), ...members, object.subarray(close)])
}

function endOfString(bytes: Uint8Array, quote: number): number {
  let at = quote + 1
  while (bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1
  return at + 1
}

/** Where the comma after a member stands, or the object's closing brace. */
function endOfMember(object: Uint8Array, start: number, close: number): number {
  let at = start
  while (at < close && object[at] !== 0x2c) {
    if (object[at] === 0x22) at = endOfString(object, at)
    else if (object[at] === 0x7b || object[at] === 0x5b) at = scanToClose(object, at, close, newScan())
    else at++
  }
  return at
}

/** Between the tokens of JSON a line break and what follows it of white space says nothing. */
function onOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(0x0a)) return json
  const out = new Uint8Array(json.length)
  let size = 0
  for (let at = 0; at < json.length; at++) {
    if (json[at] === 0x0d || json[at] === 0x0a) while (isSpace(json[at + 1])) at++
    else out[size++] = json[at]!
  }
  return out.subarray(0, size)
}
