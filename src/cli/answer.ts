// sluice answer: the answer to a question that a run asks by file (--permission-handler file:BASE).
import { statSync, writeFileSync } from 'node:fs'
import type { Rec } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import {
  optionOf,
  optionsIn,
  readPrivate,
  requestPath,
  type Response,
  responsePath,
  responseText,
  writePrivate,
} from '../control/request-file.ts'
import { CommandError, exitCodes, hasCode, systemReason, usageError } from './exit.ts'
import { type CommandSpec, parseOptions, textOption } from './options.ts'

export const spec: CommandSpec = {
  usage: 'sluice answer BASE --option ID [--text TEXT]',
  about: `Answers a permission question that a run has written to BASE.req. The answer goes to BASE.req.response. Choose one of the
options that the question offers: its id, or allow or reject if only one option fits.`,
  options: {
    option: { type: 'string', value: 'ID', help: 'the optionId of the answer, or allow or reject' },
    text: { type: 'string', value: 'TEXT', help: 'a message for the model, with the answer' },
    message: { type: 'string', hidden: true, help: 'the same' },
    outcome: { type: 'string', value: 'OUTCOME', help: 'selected (default), or cancelled: refuse and end the turn' },
    force: { type: 'boolean', help: 'replace an existing answer' },
  },
  examples: [
    ['sluice answer run.perm --option allow', 'allow the call'],
    ["sluice answer run.perm --option reject_once --text 'use the staging server'", 'refuse it, and say why'],
  ],
  exits: ['0  the answer is written', '1  the answer cannot be written', '2  wrong usage, no question, or no such option'],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const outcome = textOption(values, 'outcome') ?? 'selected'
  if (outcome !== 'selected' && outcome !== 'cancelled') throw usageError(`--outcome ${quoted(outcome)} is neither selected nor cancelled`)
  const word = textOption(values, 'option')
  if (word === undefined || word === '') throw usageError('say which option: --option ID')
  const [base, more] = files
  if (base === undefined || more !== undefined) throw usageError('give one BASE: the question stands in BASE.req')
  const request = questionIn(base)
  const option = chosen(request, word)
  const message = textOption(values, 'text') ?? textOption(values, 'message') ?? ''
  const requestId = typeof request['request_id'] === 'string' ? request['request_id'] : undefined
  write(responsePath(base), { requestId, option, message, outcome }, values['force'] === true)
  return exitCodes.ok
}

function questionIn(base: string): Rec {
  const path = requestPath(base)
  const read = readPrivate(path)
  if (read === 'wait') throw usageError(`there is no question in ${quoted(path, 500)}`)
  if ('refused' in read) throw usageError(`the question in ${quoted(path, 500)} cannot be read: ${read.refused}`)
  return read.value
}

function chosen(request: Rec, word: string): string {
  const options = optionsIn(request)
  const option = optionOf(options, word)
  if (option === undefined)
    throw usageError(`${quoted(word)} is not offered; choose one of ${options.map(({ id }) => quoted(id)).join(', ')}`)
  return option
}

/** Without force only one can be the first, also of two at the same time. */
function write(path: string, response: Response, force: boolean): void {
  const text = responseText(response)
  try {
    if (force) writePrivate(path, text)
    else writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    if (hasCode(error, 'EEXIST') && !isFolder) throw usageError(`there is an answer in ${quoted(path, 500)} already; --force replaces it`)
    throw new CommandError(`cannot write ${quoted(path, 500)}: ${isFolder ? 'it is a folder' : systemReason(error)}`, exitCodes.failed, {
      cause: error,
    })
  }
}
