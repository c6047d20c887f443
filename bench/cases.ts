// All that is measured, as one table. A case is a command line of sluice, what it is held against, and the ratio it must reach.
import { join } from 'node:path'
import { corpusPath, type Corpus, type Kind } from './corpus.ts'

/** `parse`: bare JSON.parse of the same files. `start`: `node -e 0`. `pretty`: pino-pretty on them. `one job`: the same command on them, by one process. */
type Against = 'parse' | 'start' | 'pretty' | 'one job'

export type Case = {
  name: string
  argv: readonly string[]
  against: Against
  /** `min`: the case must be at least so many times as fast. `max`: it may take at most so many times as long. */
  direction: 'min' | 'max'
  target: number
  goal?: number
  input: readonly Corpus[]
  /** What a run on a small input must write, checked before anything is timed. */
  output: 'nothing' | 'lines' | 'same bytes'
  /** Peak memory in MB. */
  memory?: number
  /** Its peak memory may be at most MEMORY_GROWTH times that of this case, which reads less. */
  memoryLike?: string
  /** Where it differs from the others: a start is short, a gigabyte long. */
  rounds?: number
  /** Only run with `--full`. */
  full?: boolean
}

export type Sizes = { claude: number; avenor: number; aictrl: number; huge: number; small: number }

export const SIZES: Sizes = { claude: 200, avenor: 100, aictrl: 100, huge: 1000, small: 1 }
export const QUICK: Sizes = { claude: 20, avenor: 10, aictrl: 10, huge: 100, small: 1 }

const PAIRS: readonly (readonly [Kind, string])[] = [
  ['claude', 'avenor'],
  ['claude', 'sluice'],
  ['claude', 'aictrl'],
  ['avenor', 'appctl'],
  ['avenor', 'aictrl'],
  ['aictrl', 'claude'],
  ['aictrl', 'avenor'],
]
const KINDS: readonly Kind[] = ['claude', 'avenor', 'aictrl']
const MEMORY = 120
export const MEMORY_GROWTH = 1.25
const TEN_LINES = join(import.meta.dirname, 'ten.ndjson')

const validate = (kind: Kind): string[] => ['validate', '--from', kind]
const convert = (kind: Kind, to: string): string[] => ['convert', '--from', kind, '--to', to]

export function listCases(sizes: Sizes): Case[] {
  const one = (kind: Kind): Corpus[] => [{ kind, megabytes: sizes[kind] }]
  const throughput = { against: 'parse', direction: 'min', memory: MEMORY } as const
  const checked = { ...throughput, target: 0.85, goal: 0.95, output: 'nothing' } as const
  const converted = { ...throughput, target: 0.45, goal: 0.6, output: 'lines' } as const
  const copied = { ...throughput, target: 0.85, goal: 0.95, output: 'same bytes' } as const
  const start = { against: 'start', direction: 'max', input: [], output: 'lines', rounds: 20 } as const
  const vast = { input: [{ kind: 'claude', megabytes: sizes.huge }], rounds: 3, full: true } as const

  return [
    ...KINDS.map((kind): Case => ({ name: `validate ${kind}`, argv: validate(kind), input: one(kind), ...checked })),
    ...PAIRS.map(([kind, to]): Case => ({
      name: `convert ${kind} to ${to}`,
      argv: convert(kind, to),
      input: one(kind),
      ...converted,
    })),
    ...KINDS.map((kind): Case => ({
      name: `convert ${kind} to ${kind}`,
      argv: convert(kind, kind),
      input: one(kind),
      ...copied,
    })),
    ...KINDS.map((kind): Case => ({
      name: `digest ${kind}`,
      argv: ['digest', '--json', '--from', kind],
      input: one(kind),
      ...throughput,
      target: 0.7,
      output: 'lines',
    })),
    ...KINDS.map((kind): Case => ({
      name: `show ${kind}, against pino-pretty`,
      argv: ['show', '--from', kind],
      input: one(kind),
      ...throughput,
      against: 'pretty',
      target: 5,
      output: 'lines',
    })),
    ...[4, 8].map((count): Case => together(count, sizes.claude)),
    { name: 'sluice --version', argv: ['--version'], target: 1.3, ...start },
    { name: 'validate ten lines', argv: ['validate', TEN_LINES], target: 2, ...start, output: 'nothing' },
    { name: 'validate claude, 1 GB', argv: validate('claude'), ...checked, ...vast, memoryLike: 'validate claude' },
    {
      name: 'convert claude to avenor, 1 GB',
      argv: convert('claude', 'avenor'),
      ...converted,
      ...vast,
      memoryLike: 'convert claude to avenor',
    },
  ]
}

/** Several files are read by two processes. The start of a second and its warm-up take 0.1 s: of four files that is a seventh. */
function together(count: number, megabytes: number): Case {
  return {
    name: `validate claude, ${count} files at once`,
    argv: validate('claude'),
    input: Array.from({ length: count }, (_, index) => ({ kind: 'claude', megabytes, seed: index + 1 })),
    against: 'one job',
    direction: 'min',
    target: 1.6,
    output: 'nothing',
  }
}

export const filesOf = (input: readonly Corpus[]): string[] => input.map(corpusPath)

/** The same case on a small input, for the check before. */
export const smallInput = (one: Case, sizes: Sizes): Corpus[] => one.input.map((corpus) => ({ ...corpus, megabytes: sizes.small }))
