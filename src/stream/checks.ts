// What JavaScript gives by mistake is told as that, with what to do: else it would be taken for nothing at all, or break somewhere deep.
import { nearest } from '../base/nearest.ts'
import type { Dialect } from '../dialects/contract.ts'
import type { ConvertOptions } from './convert.ts'
import type { ReadOptions } from './read.ts'
import type { ValidateOptions } from './validate.ts'

export const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : typeof value === 'object' && value !== null ? 'an object' : String(value)

/** Also those of another realm, as a frame of a browser or a test runner has them. */
export const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && (value as Partial<Uint8Array>)[Symbol.toStringTag] === 'Uint8Array' // a DataView has another tag

/** A name is none. */
export function sureDialect<One extends Pick<Dialect, 'claim'>>(dialect: One): One {
  if (typeof dialect?.claim !== 'function')
    throw new TypeError(`${shown(dialect)} is not a dialect; give one of dialects, such as dialects.claude`)
  return dialect
}

/** What will be called; `name`: what the caller knows it by. */
export function sureFunction<One>(value: One, name: string): One {
  if (typeof value !== 'function') throw new TypeError(`${shown(value)} is not a function; give one as ${name}`)
  return value
}

/** What is wrong with the value of an option, and what to give instead; undefined where nothing is. */
type Must = (value: unknown, name: string) => string | undefined

const bytes: Must = (value) =>
  typeof value === 'number' && value >= 1 ? undefined : 'is not a number of bytes; for maxLine give 1 or more, such as 64 * 1024 * 1024'
const flag: Must = (value, name) => (typeof value === 'boolean' ? undefined : `is not true or false; ${name} takes one of them`)
const call: Must = (value, name) => (typeof value === 'function' ? undefined : `is not a function; give one as ${name}`)
const claimers: Must = (value, name) => (Array.isArray(value) ? undefined : `is not a list of dialects; give one as ${name}`)
const raw: Must = (value) =>
  ['none', 'unmapped', 'all'].includes(value as string) ? undefined : 'is not a choice of raw; name one of none, unmapped, all'
const side: Must = (value) =>
  ['agent', 'host'].includes(value as string)
    ? undefined
    : 'is not a side that writes; for from name one of agent, host; the dialect is named by dialect'
/** Looked at where it is used. */
export const later: Must = () => undefined

type Musts<Options> = Readonly<Record<keyof Options & string, Must>>

export const readOptions: Musts<ReadOptions> = {
  maxLine: bytes,
  raw,
  from: side,
  others: claimers,
  plainNumbers: flag,
  skim: flag,
}
export const convertOptions: Musts<ConvertOptions> = {
  maxLine: bytes,
  array: flag,
  carry: flag,
  others: claimers,
  redactor: later,
  onIssue: call,
}
export const validateOptions: Musts<ValidateOptions> = { maxLine: bytes, others: claimers, repair: call }
/** Of a whole input: what is repaired is given back. */
export const judgeOptions = { dialect: later, maxLine: bytes, repair: flag } as const

/** A name that nobody knows is a slip of the pen, which would be passed over in silence. */
export function sureOptions<Options extends object>(options: Options, musts: Musts<Options>): Options {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${shown(options)} is not an object of options; give { name: value }`)
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(musts, name)) {
      const near = nearest(name, Object.keys(musts))
      throw new TypeError(
        `${shown(name)} is not an option${near === undefined ? '' : `; did you mean ${near}?`} (known: ${Object.keys(musts).join(', ')})`,
      )
    }
    const wrong = value === undefined ? undefined : musts[name as keyof Options & string](value, name)
    if (wrong !== undefined) throw new TypeError(`${shown(value)} ${wrong}`)
  }
  return options
}
