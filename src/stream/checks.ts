// What JavaScript gives by mistake is told as that, with what to do: else it would be taken for nothing at all, or break somewhere deep.
import type { Dialect } from '../dialects/contract.ts'
import type { ReadOptions } from './read.ts'

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

export function sureOptions<Options extends { maxLine?: number | undefined }>(options: Options): Options {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${shown(options)} is not an object of options; give { name: value }`)
  const { maxLine } = options
  if (maxLine !== undefined && !(typeof maxLine === 'number' && maxLine >= 1))
    throw new TypeError(`${shown(maxLine)} is not a number of bytes; for maxLine give 1 or more, such as 64 * 1024 * 1024`)
  return options
}

const raws: ReadonlySet<unknown> = new Set<ReadOptions['raw']>([undefined, 'none', 'unmapped', 'all'])
const sides: ReadonlySet<unknown> = new Set<ReadOptions['from']>([undefined, 'agent', 'host'])

export function sureReadOptions<Options extends ReadOptions>(options: Options): Options {
  const { raw, from } = sureOptions(options)
  if (!raws.has(raw)) throw new TypeError(`${shown(raw)} is not a choice of raw; name one of none, unmapped, all`)
  if (!sides.has(from))
    throw new TypeError(`${shown(from)} is not a side that writes; for from name one of agent, host; the dialect is named by dialect`)
  return options
}
