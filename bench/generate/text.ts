/**
 * Prose, code, paths and command output. Lines are made once per corpus and then drawn: fresh enough for a parser, and
 * quick enough for 200 MB in a few seconds. `wide` text has characters outside ASCII (two-byte strings in V8).
 */
import type { Random } from './random.ts'

const NOUNS = (
  'parser buffer session stream event record reader writer queue cursor handler timeout retry permission token ' +
  'schema migration worker socket request response cache index offset window policy budget config field test'
).split(' ')
const VERBS = 'reads writes drops keeps closes flushes counts retries checks splits joins returns holds skips'.split(' ')
const TAILS = [
  'before the first turn ends',
  'when the pipe is closed early',
  'although the caller asked for "strict" mode',
  'because the last line has no newline',
  "so the totals don't add up",
  'only if the file was cut in the middle',
  'after every batch of 64 records',
  'and that is why the test on CI is flaky',
]
const WIDE_TAILS = [
  '— so the naïve fix isn’t enough',
  '→ see “limits” in the guide',
  '(größer als 1 MiB, selten)',
  '日本語のファイル名も同じです',
  '✓ 12 passed, ✗ 1 failed 🙂',
  '… jusqu’à la fin du fichier',
]
const FOLDERS = 'src/server src/base src/framing test/golden packages/core/src lib/http docs/guide scripts'.split(' ')
const ENDINGS = ['ts', 'ts', 'ts', 'tsx', 'json', 'md', 'go', 'py']

export interface Text {
  /** About `length` characters of sentences. */
  prose(length: number, wide?: boolean): string
  /** About `length` characters of source lines, joined by newlines. */
  code(length: number, wide?: boolean): string
  /** One sentence without newline. */
  sentence(wide?: boolean): string
  path(): string
  identifier(): string
  command(): string
}

export function createText(random: Random): Text {
  const { pick, int, chance } = random
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
  const identifier = (): string => pick(NOUNS) + capital(pick(NOUNS))
  const path = (): string => `${pick(FOLDERS)}/${pick(NOUNS)}-${pick(NOUNS)}.${pick(ENDINGS)}`
  const phrase = (): string => `the ${pick(NOUNS)} ${pick(VERBS)} the ${pick(NOUNS)}`

  const makeSentence = (wide: boolean): string => {
    const start = capital(chance(0.3) ? `\`${identifier()}\` in ${path()} ${pick(VERBS)} it` : phrase())
    return `${start} ${wide ? pick(WIDE_TAILS) : pick(TAILS)}${chance(0.2) ? `, and ${phrase()}` : ''}.`
  }
  const makeLine = (wide: boolean): string => {
    const pad = '  '.repeat(int(0, 4))
    const name = identifier()
    if (wide) return `${pad}// ${phrase()} ${pick(WIDE_TAILS)}`
    switch (int(0, 8)) {
      case 0:
        return `${pad}const ${name} = await ${identifier()}(${pick(NOUNS)}, { limit: ${int(1, 4096)}, mode: "${pick(NOUNS)}" });`
      case 1:
        return `${pad}if (${name}.length > ${int(1, 512)} && !${pick(NOUNS)}.done) return "${phrase()}";`
      case 2:
        return `${pad}import { ${name} } from "../${path()}";`
      case 3:
        return `${pad}\tthrow new RangeError(\`${name} is \${${pick(NOUNS)}}, at most ${int(1, 99)}\`);`
      case 4:
        return `${pad}}`
      case 5:
        return ''
      case 6:
        return `${pad}// ${phrase()} ${pick(TAILS)}`
      case 7:
        return `${pad}${name}.push({ at: ${int(1e6, 1e9)}, text: '${pick(NOUNS)}\\n', pattern: /^\\s*"${pick(NOUNS)}"/ });`
      default:
        return `${pad}export function ${name}(${pick(NOUNS)}: string, ${pick(NOUNS)}Count: number): ${capital(identifier())} {`
    }
  }

  const pool = (size: number, make: () => string): string[] => Array.from({ length: size }, make)
  const sentences = [pool(3000, () => makeSentence(false)), pool(300, () => makeSentence(true))] as const
  const lines = [pool(4000, () => makeLine(false)), pool(200, () => makeLine(true))] as const

  // Even a wide text is mostly ASCII: one line in about eight is drawn from the wide pool, the first one always.
  const gather = (pools: readonly [string[], string[]], joint: string, length: number, wide: boolean): string => {
    let text = pick(pools[wide ? 1 : 0])
    while (text.length < length) {
      text += (joint === ' ' && chance(0.15) ? '\n\n' : joint) + pick(pools[wide && chance(0.12) ? 1 : 0])
    }
    return text
  }
  return {
    prose: (length, wide = false) => gather(sentences, ' ', length, wide),
    code: (length, wide = false) => gather(lines, '\n', length, wide),
    sentence: (wide = false) => pick(sentences[wide ? 1 : 0]),
    path,
    identifier,
    command: () =>
      pick([
        `npm test -- --grep "${pick(NOUNS)} ${pick(NOUNS)}"`,
        `grep -rn '${identifier()}' ${pick(FOLDERS)} | head -n ${int(5, 50)}`,
        `git diff --stat HEAD~${int(1, 9)} -- ${path()}`,
        `node ${path()} --limit ${int(1, 500)} 2>&1 | tail -n 40`,
        `sed -n '${int(1, 99)},${int(100, 300)}p' ${path()}`,
      ]),
  }
}
