// Permission questions by file (`--permission-handler file:BASE`): the question is written before the stream tells of it, and the answer
// is taken when it is there. One question at a time, since there is one name. All that was written goes when the question is settled.
import { rmSync } from 'node:fs'
import type { Rec } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { createBell } from '../files/bell.ts'
import { optionFor } from '../model/option.ts'
import type { Answerer, Question, Reply } from '../run/contract.ts'
import { offered } from './questions.ts'
import { readPrivate, requestPath, requestText, responsePath, writePrivate } from './request-file.ts'

const longestMessage = 64 * 1024

type Clean = (request: Question['request']) => Question['request']

/** `before`: to be awaited before the stream tells of the question. It does not reject. */
export type FileHandler = Answerer & { before(question: Question, signal: AbortSignal): Promise<void> }

/** `tell`: a line for people, about answers that cannot be taken. `clean`: takes keys out of what is written. */
export function createFileHandler(base: string, tell: (text: string) => void, clean: Clean = (request) => request): FileHandler {
  const request = requestPath(base)
  const response = responsePath(base)
  let turn: Promise<unknown> = Promise.resolve()
  const prepared = new WeakSet<AbortSignal>() // of questions whose turn it was, or that wait for it
  const written = new WeakSet<AbortSignal>()

  const clear = (): void => {
    for (const path of [request, response]) removeFile(path)
  }

  async function before(question: Question, signal: AbortSignal): Promise<void> {
    prepared.add(signal)
    const former = turn
    const settled = new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => {
        if (written.delete(signal)) clear()
        resolve()
      })
    })
    turn = former.then(() => settled)
    await former
    if (signal.aborted) return
    try {
      removeFile(response) // nobody can have answered yet
      writePrivate(request, requestText({ ...question, request: clean(question.request) }))
      written.add(signal)
    } catch (error) {
      tell(`the question cannot be written to ${quoted(request, 200)}: ${(error as Error).message}`)
    }
  }

  async function answer(question: Question, signal: AbortSignal): Promise<Reply | undefined> {
    if (!prepared.has(signal)) await before(question, signal)
    if (!written.has(signal)) return undefined // it could not be asked
    using bell = createBell(response)
    let told = ''
    while (!signal.aborted) {
      bell.arm(undefined)
      const read = readPrivate(response)
      if (read !== 'wait') {
        const reply = 'refused' in read ? read.refused : replyOf(read.value, question.request)
        if (typeof reply !== 'string') return reply
        if (reply !== told) tell(`the answer in ${quoted(response, 200)} is refused: ${reply}; write another`)
        told = reply
        removeFile(response)
      }
      await bell.wait(signal)
    }
    return undefined
  }

  return Object.assign(answer, { before })
}

/** A text: why it is no answer to the question. */
function replyOf(value: Rec, { id, options }: Question['request']): Reply | string {
  const { request_id: requestId, outcome = '', option_id: word, message = '' } = value
  if (requestId !== undefined && requestId !== null && requestId !== id) return 'it answers another question'
  if (typeof message !== 'string' || Buffer.byteLength(message) > longestMessage)
    return `"message" must be a text of no more than ${longestMessage} bytes`
  if (outcome === 'cancelled') return { option: 'reject_once', by: 'file', stop: true, ...(message !== '' && { text: message }) }
  if (outcome !== '' && outcome !== 'selected') return '"outcome" must be selected or cancelled'
  if (typeof word !== 'string') return '"option_id" must be the id of an option'
  const option = optionFor(options, word)
  if (option === undefined) return offered(options, word)
  if (option.needsText === true && message === '') return `the option ${quoted(word)} needs a "message"`
  return { option: option.id, by: 'file', ...(message !== '' && { text: message }) }
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // not ours to remove: it is not believed either
  }
}
