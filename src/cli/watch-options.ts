// What the options of `watch` ask for, checked before anything is read.
import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { nearest } from '../base/nearest.ts'
import type { Class } from '../analyze/classify.ts'
import { quoted } from '../base/text.ts'
import { createCursor, CursorError, readCursor } from '../files/cursor.ts'
import { CommandError, exitCodes, hasCode, systemReason, usageError } from './exit.ts'
import { oneFile } from './io.ts'
import { dialectOption, listOption, type Parsed, sizeOption } from './options.ts'
import { rulesIn } from './rules.ts'
import { createJson, createSluice } from './watch-json.ts'
import { createPlain } from './watch-plain.ts'
import type { SessionsSeen } from './watch-session.ts'
import type { StreamOptions } from './watch-stream.ts'
import type { View, ViewOptions } from './watch-view.ts'

export const formats = ['pretty', 'plain', 'json', 'sluice'] as const
const classes: readonly Class[] = ['MILESTONE', 'FINDING', 'ACTIVITY']
export const classNames: readonly string[] = classes.map((its) => its.toLowerCase())

type Choices = ReturnType<typeof choicesOf>

/** `--classify=all`: an option with a value that may be left out, which the parser does not know. */
export function splitClassify(argument: string): string {
  const value = /^--classify=(.*)$/s.exec(argument)?.[1]
  if (value === undefined) return argument
  if (value === 'all') return '--classify-all'
  throw usageError(`--classify=${quoted(value)} is not known; write --classify or --classify=all`)
}

export function choicesOf({ values, files }: Parsed) {
  const text = (name: string): string | undefined => values[name] as string | undefined
  const accumulate = values['accumulate'] === true
  const format = text('format') ?? (accumulate || values['times'] === true || process.stdout.isTTY !== true ? 'plain' : 'pretty')
  if (!isFormat(format)) throw usageError(`--format ${quoted(format)} is not known${suggestion(format, formats)}`)
  if (accumulate && format !== 'plain')
    throw usageError(`--accumulate joins the lines of --format plain; there is nothing to join in ${format}`)
  if (values['times'] === true && format !== 'plain') throw usageError(`--times is for the lines of --format plain, not for ${format}`)
  const logs = files.length > 1 ? files : [oneFile(files)]
  if (new Set(logs).size < logs.length) throw usageError('the same FILE is named twice')
  if (text('since-cursor') !== undefined && (logs.length > 1 || logs[0] === '-'))
    throw usageError('--since-cursor is for one file: a cursor is a place in it')
  const rules = text('rules')
  const from = dialectOption(values)
  const all = values['classify-all'] === true
  return {
    files: logs,
    follows: values['follow'] === true,
    format,
    accumulate,
    times: format === 'plain' && (values['times'] === true || process.stdout.isTTY === true),
    classify: all ? ('all' as const) : values['classify'] === true || rules !== undefined ? ('notable' as const) : ('no' as const),
    rules,
    only: values['only'] === undefined ? undefined : classesIn(listOption(values, 'only').join()),
    session: text('session'),
    cursorFile: text('since-cursor'),
    dialect: from === 'auto' ? undefined : from,
    maxLine: sizeOption(values, 'max-line'),
  }
}

const isFormat = (word: string): word is (typeof formats)[number] => (formats as readonly string[]).includes(word)

function classesIn(list: string): ReadonlySet<Class> {
  const found = list.split(',').map((word) => {
    const known = classes.find((its) => its === word.trim().toUpperCase())
    if (known !== undefined) return known
    throw usageError(`--only ${quoted(word)} is not a class${suggestion(word.trim().toLowerCase(), classNames)}`)
  })
  return new Set(found)
}

function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, [...known])
  return near === undefined ? ` (known: ${known.join(', ')})` : `; did you mean ${near}?`
}

export async function viewOf(
  choices: Choices,
  sessions: SessionsSeen,
  options: Pick<ViewOptions, 'dialect' | 'nameOf' | 'put' | 'redactor'>,
): Promise<View> {
  const { format, only, session, classify, accumulate, times } = choices
  const wants = (its: string | undefined, notable: Class | undefined): boolean => {
    sessions.see(its)
    return (session === undefined || its === session) && (only === undefined || only.has(notable ?? 'ACTIVITY'))
  }
  const all: ViewOptions = { ...options, wants, classify }
  if (format === 'json') return createJson(all)
  if (format === 'sluice') return createSluice(all)
  if (format === 'plain') return createPlain({ ...all, accumulate, times })
  return (await import('./watch-pretty.ts')).createPretty(all) // Markdown and diffs are heavy
}

// ── what they name ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function openCursor({ cursorFile: path, files }: Choices) {
  if (path === undefined) return undefined
  const unwritable = (error: unknown): CommandError =>
    new CommandError(`cannot write the cursor ${quoted(path, 500)}: ${folderReason(error)}`, exitCodes.failed, { cause: error })
  try {
    const start = readCursor(path, files[0]!)
    accessSync(dirname(path), constants.W_OK) // better known before anything is shown
    return { start, ...createCursor(path, unwritable) }
  } catch (error) {
    throw usageError(error instanceof CursorError ? error.message : `cannot use the cursor ${quoted(path, 500)}: ${folderReason(error)}`)
  }
}

const folderReason = (error: unknown): string => (hasCode(error, 'ENOENT') ? 'its folder does not exist' : systemReason(error))

/** One classifier a stream: a phrase may go over several of its chunks. */
export async function loadClassifiers({ classify, only, rules: file }: Choices): Promise<StreamOptions['createClassifier']> {
  if (classify === 'no' && only === undefined) return undefined
  const { createClassifier } = await import('../analyze/classify.ts')
  const rules = file === undefined ? undefined : await rulesIn(file)
  return ({ tag: nameOf }) => createClassifier({ rules, nameOf })
}
