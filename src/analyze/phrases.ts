// The phrases that make a text a finding (Avenor, "Classification system"), found in a text that comes in pieces.
// Two surprises. A window of nine characters jumps over most of a piece, since nearly no two neighbours occur in a phrase. And what
// is kept between two pieces is the last piece, if it is short, or the number after `confidence:`; never the text.
import { isFree, type Needles } from '../base/needles.ts'

/** `needle`: a part of the phrase that hardly occurs elsewhere. */
const phrases: readonly (readonly [phrase: string, rule: string, needle: string])[] = [
  ['[finding]', 'text.finding', '[fin'],
  ['reviewer flagged', 'text.reviewer-flagged', 'ewer'],
  ['correction needed', 'text.correction-needed', 'rrec'],
  ['failed test', 'text.failed-test', 'd te'],
  ['confidence:', 'text.confidence', 'nce:'], // followed by a number, at least this one:
]
const needles: Needles = phrases.map(([, , needle]) => needle)
const enoughConfidence = 60
const tooLarge = 2 ** 63 // what no 64-bit integer holds is no score
const longPiece = 1024

/** What a rule looks for, in small letters. */
export const phraseOf = (rule: string): string | undefined => phrases.find(([, its]) => its === rule)?.[0]

/** What must be known of a text that may go on. */
export type Reading = {
  /** Its last characters. Whether they begin a phrase is looked at when more comes: mostly its first character says no. */
  held: string
  /** The very last, as `low` has it. */
  last: number
  /** Inside `confidence: 80`: before its digits, or among them. */
  number: 'none' | 'before' | 'digits'
  value: number
  /** This number has been told. */
  told: boolean
}

export const startReading = (): Reading => ({ held: '', last: 0, number: 'none', value: 0, told: false })

/** Reads on, and names the rule of a phrase that became whole in this piece: the last, if there are several. Case does not matter. */
export function readOn(reading: Reading, piece: string): string | undefined {
  if (readQuiet(reading, piece)) return undefined
  const { held } = reading
  const text = goesOnIn(reading, piece) ? beginningIn(held, 0) + piece : piece
  let rule: string | undefined
  let at = 0
  if (reading.number !== 'none') {
    at = readNumber(reading, text, 0)
    if (isNews(reading, text, at)) rule = 'text.confidence'
  }
  for (let found = search(text, at); found >= 0; found = search(text, at)) {
    const [phrase, itsRule] = phraseAt(text, found)!
    at = found + phrase.length
    if (itsRule !== 'text.confidence') rule = itsRule
    else {
      Object.assign(reading, { number: 'before', value: 0, told: false })
      at = readNumber(reading, text, at)
      if (isNews(reading, text, at)) rule = itsRule
    }
  }
  hold(reading, beginningIn(text, at))
  return rule
}

/** Reads on where that tells nothing, wherever the text is cut. False: it may; nothing was read. */
function readQuiet(reading: Reading, text: string): boolean {
  const length = lengthOf(text)
  if (length === 0) return true
  if (reading.number !== 'none' || goesOnIn(reading, text) || search(text, 0) >= 0) return false
  hold(reading, length > longPiece ? beginningIn(text, 0) : text)
  return true
}

const goesOnIn = ({ held, last }: Reading, text: string): boolean =>
  held !== '' && neighbours[(last << 5) | low(text, 0)] === 1 && goesOn(held, text)

/** The same of a text that does not go on. */
export const readWhole = (text: string): string | undefined =>
  isFree(text, needles) || search(text, 0) < 0 ? undefined : readOn(startReading(), text)

function hold(reading: Reading, held: string): void {
  const length = lengthOf(held)
  reading.held = held
  reading.last = length === 0 ? 0 : low(held, length - 1)
}

// ── the score ────────────────────────────────────────────────────────────

function readNumber(reading: Reading, text: string, from: number): number {
  let at = from
  if (reading.number === 'before') while (isSpace(codeAt(text, at))) at++
  for (let digit = digitAt(text, at); digit >= 0; digit = digitAt(text, ++at)) {
    reading.number = 'digits'
    reading.value = reading.value * 10 + digit
  }
  return at
}

/** At `at` the number is over, or the piece is. Letters right behind it make it something else: 60ms. */
function isNews(reading: Reading, text: string, at: number): boolean {
  const goesOn = at === text.length
  const { number, value, told } = reading
  if (!goesOn) reading.number = 'none'
  if (number !== 'digits' || told || value < enoughConfidence || value >= tooLarge || (!goesOn && isWord(codeAt(text, at)))) return false
  reading.told = true
  return true
}

const digitAt = (text: string, at: number): number => {
  const code = codeAt(text, at) - 48
  return code >= 0 && code <= 9 ? code : -1
}
const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 12 || code === 13
const isWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)

// ── the search ───────────────────────────────────────────────────────────

type Entry = (typeof phrases)[number]

const shortest = Math.min(...phrases.map(([phrase]) => phrase.length))

// Slices, whole texts, names, of one byte or of two a letter: to the engine these are more types than it compiles `text.charCodeAt` and
// `text.length` for. A function that is not looked up in the text it compiles for all of them, and a sum it knows to be a text (it is
// never made). That halves the search in short pieces.
const { charCodeAt } = String.prototype
const codeAt = (text: string, at: number): number => charCodeAt.call(text, at)
const lengthOf = (text: string): number => ('' + text).length

/** Five bits of a character are enough to tell most apart, and they are the same for A and a. */
const low = (text: string, at: number): number => codeAt(text, at) & 31
const pair = (text: string, at: number): number => (low(text, at - 1) << 5) | low(text, at)

/** Pairs that occur in a phrase at all. */
const neighbours = new Uint8Array(1024)
/** How far the window may jump when this pair stands at its end. */
const jumps = new Uint8Array(1024).fill(shortest - 1)
/** The phrases by their first character. */
const byFirst: (readonly Entry[])[] = Array.from({ length: 32 }, () => [])
type Split = { beginning: string; rest: string }
/** Phrases in two, by the pair at the end of their beginning, the longest first; a first character follows anything. */
const byEnd: (readonly Split[])[] = Array.from({ length: 1024 }, () => [])
const split = (index: number, phrase: string, at: number): void => {
  const parts = { beginning: phrase.slice(0, at), rest: phrase.slice(at) }
  byEnd[index] = [...byEnd[index]!, parts].toSorted((a, b) => b.beginning.length - a.beginning.length)
}
for (const entry of phrases) {
  const [phrase] = entry
  byFirst[low(phrase, 0)] = [...byFirst[low(phrase, 0)]!, entry]
  for (let before = 0; before < 32; before++) split((before << 5) | low(phrase, 0), phrase, 1)
  for (let at = 1; at < phrase.length; at++) {
    const index = pair(phrase, at)
    neighbours[index] = 1
    if (at < shortest) jumps[index] = Math.min(jumps[index]!, shortest - 1 - at)
    if (at < phrase.length - 1) split(index, phrase, at + 1)
  }
}

/** Where the next phrase begins, or -1. */
function search(text: string, from: number): number {
  const length = lengthOf(text)
  let end = from + shortest - 1
  while (end < length) {
    const jump = jumps[pair(text, end)]!
    if (jump === 0 && phraseAt(text, end - shortest + 1) !== undefined) return end - shortest + 1
    end += jump || 1
  }
  return -1
}

function phraseAt(text: string, at: number): Entry | undefined {
  for (const entry of byFirst[low(text, at)]!) if (at + entry[0].length <= lengthOf(text) && stands(entry[0], text, at)) return entry
  return undefined
}

const endOf = (text: string, length: number): number => (length > 1 ? pair(text, length - 1) : low(text, 0))

/** The end of the text that may be the beginning of a phrase. */
function beginningIn(text: string, from: number): string {
  const length = lengthOf(text)
  for (const { beginning } of byEnd[endOf(text, length)]!)
    if (beginning.length <= length - from && stands(beginning, text, length - beginning.length)) return beginning
  return ''
}

/** Whether a phrase may begin in the one text and go on in the other. */
function goesOn(text: string, next: string): boolean {
  const length = lengthOf(text)
  for (const { beginning, rest } of byEnd[endOf(text, length)]!)
    if (stands(rest, next, 0) && beginning.length <= length && stands(beginning, text, length - beginning.length)) return true
  return false
}

/** As far as the text goes. */
function stands(phrase: string, text: string, from: number): boolean {
  const end = Math.min(phrase.length, lengthOf(text) - from)
  for (let at = 0; at < end; at++) if (lower(codeAt(text, from + at)) !== codeAt(phrase, at)) return false
  return true
}
const lower = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code)
