// Shapes of known secrets, as data. Each rule is a sequence of literals and runs of bounded length, so that two patterns can be made of
// it: one finds the secret, one tells whether the end of a text may be the beginning of one.

/** A literal, a literal in any case, or a run of characters of one class (not past the text `until`). */
type Step = string | { any: string } | { of: string; min: number; max: number; until?: string }

export type Rule = {
  name: string
  /** Stays in the text. */
  before?: readonly Step[]
  secret: readonly Step[]
  after?: readonly Step[]
  /** The class of characters that may not stand directly in front. */
  apart?: string
}

const run = (of: string, min: number, max: number): Step => ({ of, min, max })
const word = '[A-Za-z0-9_-]'
const letters = '[A-Za-z0-9]'
const key = (name: string, start: string, of: string, min: number, max: number, apart = word): Rule => ({
  name,
  secret: [start, run(of, min, max)],
  apart,
})
const keys = (name: string, starts: readonly string[], of: string, min: number, max: number): Rule[] =>
  starts.map((start) => key(name, start, of, min, max))

// Between a name and its value in headers, assignments and JSON, escaped or not.
const between = run('[\\s"\'\\\\:=,>]', 1, 8)
const header = (scheme: string): Rule => ({
  name: 'authorization',
  before: [{ any: 'authorization' }, between, { any: scheme }, run('[\\s+]', 1, 4)],
  secret: [run('[A-Za-z0-9._~+/=-]', 6, 4000)],
})
const awsSecret = (name: string, max: number): Rule => ({
  name: 'aws-secret',
  before: [{ any: name }, between],
  secret: [run('[A-Za-z0-9+/=]', 40, max)],
})

// Lengths are fixed where they can be: each choice would be tried with the whole of a long body behind it.
const keyBegins: readonly Step[] = [
  '-----BEGIN ',
  run('[A-Z0-9 ]', 0, 30),
  'PRIVATE KEY-----',
  run('(?:\\s|\\\\|[nrt](?<=\\\\.))', 0, 8), // line ends, escaped or not
  run('[A-Za-z0-9+/=:-]', 10, 10),
]
const keyBody: Step = { of: '[A-Za-z0-9+/=\\s\\\\,:.-]', min: 0, max: 16_384, until: '-----END' }

/** Where two fit, the one that begins first counts, and of those the one that stands first. */
export const shapes: readonly Rule[] = [
  key('anthropic', 'sk-ant-', word, 16, 300),
  key('openrouter', 'sk-or-', word, 16, 300),
  ...keys('openai', ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], word, 20, 300),
  key('openai', 'sk-', letters, 32, 200),
  key('google', 'AIza', word, 35, 40),
  ...keys('github', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], letters, 36, 255),
  key('github', 'github_pat_', '[A-Za-z0-9_]', 22, 255),
  key('gitlab', 'glpat-', '[A-Za-z0-9_.-]', 20, 300),
  ...keys(
    'slack',
    ['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    '[A-Za-z0-9%.-]',
    10,
    400,
  ),
  ...keys('stripe', ['sk_live_', 'rk_live_'], letters, 16, 250),
  key('npm', 'npm_', letters, 36, 36),
  key('pypi', 'pypi-', word, 50, 500),
  key('huggingface', 'hf_', letters, 30, 100),
  { name: 'jwt', secret: ['eyJ', run(word, 8, 4000), '.', run(word, 8, 4000), '.', run(word, 8, 4000)], apart: word },
  key('aws', 'AKIA', '[A-Z0-9]', 16, 16, '[A-Za-z0-9+/]'),
  key('aws', 'ASIA', '[A-Z0-9]', 16, 16, '[A-Za-z0-9+/]'),
  awsSecret('aws_secret_access_key', 40),
  awsSecret('secretaccesskey', 40),
  awsSecret('aws_session_token', 4000),
  { name: 'private-key', secret: [...keyBegins, keyBody, '-----END ', run('[A-Z0-9 ]', 0, 30), 'PRIVATE KEY-----'] },
  { name: 'private-key', secret: [...keyBegins, keyBody] }, // its end was cut off
  header('bearer'),
  header('basic'),
  header('token'),
  {
    name: 'url-password',
    before: ['://', run('[^\\s:@/?#"\'`<>\\\\]', 0, 100), ':'],
    secret: [run('[^\\s@/?#"\'`<>\\\\]', 1, 300)],
    after: ['@'],
  },
]

/** Names that say what kind of secret their value is. */
export const tellingName = /^(?:proxy-)?authorization$|aws_session_token$|secret_?access_?key$/i

const escaped = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')
const chars = (step: string | { any: string }): string[] =>
  typeof step === 'string'
    ? step.split('').map(escaped)
    : step.any.split('').map((char) => (/[a-z]/.test(char) ? `[${char}${char.toUpperCase()}]` : escaped(char)))
const isRun = (step: Step): step is Extract<Step, { of: string }> => typeof step === 'object' && 'of' in step

const firstOf = ([first]: readonly Step[]): string => (first === undefined || isRun(first) ? '' : chars(first)[0]!)

function whole(step: Step): string {
  if (!isRun(step)) return chars(step).join('')
  const { of, min, max, until } = step
  return until === undefined ? `${of}{${min},${max}}` : `(?:(?!${until.split('').map(escaped).join('')})${of}){${min},${max}}`
}

/** What the beginning of the sequence looks like when the text ends within it. */
function begun([first, ...rest]: readonly Step[], isFirst = true): string {
  if (first === undefined) return ''
  const part = isRun(first) ? whole({ ...first, min: 0 }) : begunLiteral(chars(first), isFirst, rest.length === 0)
  return rest.length === 0 ? part : `(?:${whole(first)}${begun(rest, false)}|${part})`
}

/** A literal that ends the sequence is no beginning when it is all there. */
function begunLiteral(all: string[], isFirst: boolean, isLast: boolean): string {
  const nested = (isLast ? all.slice(0, -1) : all).reduceRight((inner, char) => `(?:${char}${inner})?`, '')
  return isFirst ? nested.slice(0, -1) : nested // the first character of all must be there
}

// In front of a word stands no character of it, unless that one belongs to an escape: \n, \u000a, %3D, or a colour of a terminal.
export const contextNeeded = 16
const apartFrom = (of: string | undefined): string =>
  of === undefined ? '' : `(?:(?<!${of})|(?<=\\\\[nrtbf])|(?<=\\\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2})|(?<=\\u001b\\[[0-9;]{0,12}m))`

/** Neighbours that must stand apart from the same characters are asked once. */
function joinApart(rules: readonly Rule[], sourceOf: (rule: Rule) => string): string {
  const groups: { apart: string | undefined; sources: string[] }[] = []
  for (const rule of rules) {
    const last = groups.at(-1)
    if (last !== undefined && last.apart === rule.apart) last.sources.push(sourceOf(rule))
    else groups.push({ apart: rule.apart, sources: [sourceOf(rule)] })
  }
  return groups.map(({ apart, sources }) => `${apartFrom(apart)}(?:${sources.join('|')})`).join('|')
}

export type Compiled = {
  /** Finds where a secret may begin; cheap. */
  hint: RegExp
  /** Sticky: the groups of rule n are 3n + 1 to 3n + 3: before, secret, after. */
  full: RegExp
  /** Finds the first place from which the rest of the text may be the beginning of a secret. */
  open: RegExp
  /** Characters of the longest text that `hint` looks for. */
  longestHint: number
  rules: readonly Rule[]
}

export function compileRules(rules: readonly Rule[]): Compiled {
  const stepsOf = ({ before = [], secret, after = [] }: Rule): Step[] => [...before, ...secret, ...after]
  const starts = rules.map((rule) => whole(stepsOf(rule)[0]!))
  const group = (steps: readonly Step[] = []): string => `(${steps.map(whole).join('')})`
  const full = (rule: Rule): string => `${group(rule.before)}${group(rule.secret)}${group(rule.after)}`
  const open = (rule: Rule): string => begun(stepsOf(rule))
  const lengthOf = (step: Step | undefined): number => (step === undefined || isRun(step) ? Infinity : chars(step).length)
  const firsts = new Set(rules.map((rule) => firstOf(stepsOf(rule))))
  return {
    hint: new RegExp([...new Set(starts)].join('|'), 'g'),
    full: new RegExp(joinApart(rules, full), 'y'),
    open: new RegExp(`(?=${[...firsts].join('|')})(?:${joinApart(rules, open)})$`, 'g'), // the first characters alone let most places go by
    longestHint: Math.max(...rules.map((rule) => lengthOf(stepsOf(rule)[0]))),
    rules,
  }
}

/** No secret of these shapes is longer. */
export const longestShape = 20_000
