// The options of a permission question: which of them a word means, and what it says when it is chosen.
import type { Option } from './event.ts'
import type { OptionKind } from './vocabulary.ts'

/** For an option that has no name of its own. */
export const optionLabels: Readonly<Record<OptionKind, string>> = {
  allow_once: 'Allow once',
  allow_session: 'Allow for this session',
  allow_always: 'Always allow',
  reject_once: 'Reject',
  reject_always: 'Always reject',
  cancel: 'Reject and stop',
}

const kindsOf: Readonly<Record<string, readonly OptionKind[]>> = {
  allow: ['allow_once'],
  allow_always: ['allow_always', 'allow_session'],
  reject: ['reject_once'],
}

/** By its id, or else by its kind; `allow` and `reject` are for this call alone. Undefined: there is none. */
export function optionFor(options: readonly Option[], word: string): Option | undefined {
  const kinds: readonly string[] = Object.hasOwn(kindsOf, word) ? kindsOf[word]! : [word]
  return options.find(({ id }) => id === word) ?? kinds.flatMap((wanted) => options.find(({ kind }) => kind === wanted) ?? [])[0]
}

export const isAllowing = ({ kind }: Option): boolean => kind.startsWith('allow')

/** It holds for more than this call. */
export const isLasting = ({ kind }: Option): boolean => kind.endsWith('_always') || kind.endsWith('_session')
