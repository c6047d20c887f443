// The two files by which a program without a socket is asked: BASE.req holds the question, BASE.req.response the answer. Both in
// Avenor's words. Only files of our own are believed: a link, or a file of somebody else, is no answer.
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isRecord, parseJson, type Rec, stringifyJson } from '../base/json.ts'
import type { Option } from '../model/event.ts'
import { isLasting } from '../model/option.ts'
import type { Question } from '../run/contract.ts'
import { userId } from './places.ts'

export const requestPath = (base: string): string => `${base}.req`
export const responsePath = (base: string): string => `${base}.req.response`

const longest = 256 * 1024

export function requestText({ ask, request }: Question): string {
  const { id, name, question, permission, patterns, toolKind, input, options } = request
  const { session, agent, call } = ask.place
  const body = {
    request_id: id,
    session_id: session,
    tool: name ?? permission,
    question,
    options: options.map((option) => {
      const { id: optionId, kind, label } = option
      return { optionId, kind: wordOf(kind), name: label, ...(isLasting(option) && { lasting: true }) }
    }),
    payload: { permission, patterns, kind: toolKind, input, toolCallId: call, agent },
  }
  const whole = JSON.stringify(body, undefined, 2)
  return `${whole.length <= longest ? whole : JSON.stringify({ ...body, payload: {} }, undefined, 2)}\n`
}

const wordOf = (kind: Option['kind']): 'allow' | 'reject' => (kind.startsWith('allow') ? 'allow' : 'reject')

type Offered = { id: string; kind: string; isLasting: boolean }

/** What a question in a file offers. */
export const optionsIn = ({ options }: Rec): Offered[] =>
  (Array.isArray(options) ? (options as unknown[]) : []).flatMap((one) => {
    const { optionId: id, kind, lasting } = isRecord(one) ? one : {}
    return typeof id === 'string' ? [{ id, kind: typeof kind === 'string' ? kind : id, isLasting: lasting === true }] : []
  })

/** The id of an option, by that id; `allow` and `reject` are also the plainest of theirs, or the only one. Undefined: there is none. */
export function optionOf(offered: readonly Offered[], word: string): string | undefined {
  if (offered.some(({ id }) => id === word)) return word
  if (word !== 'allow' && word !== 'reject') return undefined
  const fitting = offered.filter((one) => !one.isLasting && (one.kind === word || one.kind === `${word}_once`)) // never one for always
  const plain = fitting.filter(({ id, kind }) => id === `${word}_once` || kind === `${word}_once`)
  const [found, another] = plain.length > 0 ? plain : fitting
  return another === undefined ? found?.id : undefined
}

/** In one step, for nobody else to read: who finds the name finds the whole file. */
export function writePrivate(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  rmSync(temporary, { force: true })
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** `wait`: not there, or not whole yet. */
export type Read = { value: Rec } | 'wait' | { refused: string }

export function readPrivate(path: string): Read {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'wait' : { refused: code === 'ELOOP' ? 'it is a link' : message }
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) return { refused: 'it is not a file' }
    if (stat.uid !== userId()) return { refused: 'it belongs to another user' }
    if (stat.nlink > 1) return { refused: 'it is a link' }
    if (stat.size > longest) return { refused: `it is larger than ${longest} bytes` }
    const value = parsed(readFileSync(fd, 'utf8'))
    return value === undefined ? 'wait' : isRecord(value) ? { value } : { refused: 'it is not a JSON object' }
  } finally {
    closeSync(fd)
  }
}

/** What is no JSON may be half of one. */
function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

export type Response = { requestId: string | undefined; option: string; message: string; outcome: 'selected' | 'cancelled' }

export const responseText = ({ requestId, option, message, outcome }: Response): string =>
  `${stringifyJson({ request_id: requestId, outcome, option_id: option, message })}\n`
