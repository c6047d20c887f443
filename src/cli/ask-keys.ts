// A key for each option of a permission question: the usual letter for the first of its kind, else its number.
import type { Option } from '../model/event.ts'
import { optionLabels } from '../model/option.ts'
import type { OptionKind } from '../model/vocabulary.ts'
import type { Question } from '../supervise/permission.ts'
import { harmlessLine } from '../views/harmless.ts'

export type Keyed = { key: string; option: Option }

const letters: Readonly<Record<OptionKind, string>> = {
  allow_once: 'y',
  allow_session: 'a',
  allow_always: 'a',
  reject_once: 'n',
  reject_always: 'r',
  cancel: 'c',
}

export function keysFor(options: readonly Option[]): Keyed[] {
  const taken = new Set<string>()
  return options.map((option, at) => {
    const letter = letters[option.kind]
    const key = taken.has(letter) ? String(at + 1) : letter
    taken.add(key)
    return { key, option }
  })
}

export const labelOf = ({ label, kind }: Option): string => harmlessLine(label ?? optionLabels[kind])

const shortWords: Partial<Record<OptionKind, string>> = { allow_once: 'yes, once', allow_always: 'always', reject_once: 'no' }

/** For one line: our own options are known by a word, an agent's by the name that it gives them. */
export const wordFor = ({ options }: Question['request'], option: Option): string =>
  (options.every(({ id, kind }) => id === kind) ? shortWords[option.kind] : undefined) ?? labelOf(option)
