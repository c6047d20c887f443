// What is said in a made-up stream: text, tool inputs and tool results that readers and writers tend to get wrong.
import { parseJson, type Rec } from '../base/json.ts'
import type { Random } from './random.ts'

const fragments: readonly string[] = [
  'Looking at the widgets.',
  'I will read the file first. ',
  'All tests pass.',
  'Done',
  ' ',
  'Let me think about this…',
  'She said "no" and \'maybe\'.',
  'C:\\temp\\new',
  'a\nb\r\nc\n',
  '\ttabbed\t',
  '```ts\nconst a = `x${1}`\n```\n',
  '# Title\n\n- one\n- two\n',
  'Grüße aus Köln, où ça?',
  '日本語のテキスト',
  'שלום עולם',
  'e\u0301 is not é',
  '👩‍👩‍👧‍👦 and 🇩🇪',
  '🎉',
  '\u2028\u2029',
  '\ufeff',
  '\u0000\u0007\u001b[31mred\u001b[0m',
  '\ud83d',
  '\udc00 lone',
  '<b>&amp;</b><script>alert(1)</script>',
  '{"type":"text","kind":"done"}',
  '[1,2',
  'data: {"event":"x"}',
  '\\u0041\\n',
  'confidence: 72%',
  '[finding] a failed test',
  '<|workflow: exit | green|>',
  'Exit code 3',
  '%s %d $& $1',
  '__proto__',
  'null',
  '…',
]

/** Never empty. */
export const textOf = (random: Random): string => random.some(1, 4, () => random.pick(fragments)).join(random.pick(['', ' ', '\n']))

/** The text in one or more pieces, none of them empty; a piece may end inside a surrogate pair. */
export function piecesOf(text: string, random: Random): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    const end = pieces.length > 12 ? text.length : at + random.int(1, Math.max(1, Math.ceil(text.length / 3)))
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

const keys: readonly string[] = [
  'path',
  'limit',
  'query',
  'nested',
  'items',
  'ünï',
  '0',
  '',
  'type',
  'kind',
  'event',
  'id',
  'toString',
  'a b',
  '"q"',
]
/** As text, since a number past 2^53 and a key `__proto__` exist only there. */
const rare: readonly string[] = [
  '12345678901234567890',
  '-98765432109876543210',
  '9007199254740993',
  '1e21',
  '-0.5',
  '1e-7',
  '0',
  '9007199254740991',
  '{"__proto__":{"a":1}}',
  '{"constructor":null}',
  '[]',
  '{}',
  '[[[[[]]]]]',
  '"\\ud800"',
  'true',
  'false',
  'null',
]

/** Only integers past 2^53 keep their text; every other number is what it is, however it was written. */
const fromText = (text: string): unknown => (/^-?\d{16,}$/.test(text) ? parseJson(text) : JSON.parse(text))

export function valueOf(random: Random, depth = 2): unknown {
  const dice = random.int(0, 9)
  if (dice < 3) return textOf(random)
  if (dice < 5) return random.int(-1000, 1_000_000)
  if (dice < 8 || depth === 0) return fromText(random.pick(rare))
  return dice === 8 ? random.some(0, 3, () => valueOf(random, depth - 1)) : objectOf(random, depth - 1)
}

export function objectOf(random: Random, depth = 2): Rec {
  const made: Rec = {}
  for (const key of random.some(0, 4, () => random.pick(keys))) made[key] = valueOf(random, depth)
  return made
}

export type Tool = { name: string; input: Rec }

/** A call of a tool that coding agents have. `low`: names in lower case, as opencode and its kin write them. */
export function toolOf(random: Random, low = false): Tool {
  const path = `/home/dev/${random.pick(['a b', 'src', 'ü'])}/${random.pick(['notes.txt', 'main.ts', '😀.md'])}`
  const [name, input]: [string, Rec] = random.pick([
    [
      'Bash',
      { command: random.pick(['ls -la', 'git commit -m "fix"', 'npm test', 'printf \'%s\\n\' "$HOME"']), description: textOf(random) },
    ],
    ['Read', { file_path: path }],
    ['Write', { file_path: path, content: textOf(random) }],
    ['Edit', { file_path: path, old_string: textOf(random), new_string: textOf(random) }],
    ['Grep', { pattern: '^\\s*[a-z]+', ...objectOf(random, 1) }],
    ['Glob', { pattern: '**/*.ts' }],
    ['WebFetch', { url: 'https://example.com/?q=%22&x=1', prompt: textOf(random) }],
    ['TodoWrite', { todos: random.some(0, 3, () => ({ content: textOf(random), status: 'pending' })) }],
  ])
  const other = random.chance(0.2)
  if (other) return { name: random.pick(['echo_say', 'list_widgets', 'notes_search']), input: objectOf(random) }
  return { name: low ? name.toLowerCase() : name, input }
}

/** A name and an `input` of a subagent's call. */
export const taskOf = (random: Random): Rec => ({
  description: random.pick(['Count lines', 'Research', 'Prüfe']),
  prompt: textOf(random),
  subagent_type: 'general-purpose',
})

export const models = ['claude-sonnet-4-5-20250929', 'gpt-5.5', 'gemini-3-pro', 'qwen/qwen3-coder'] as const

/** Milliseconds since the epoch; goes on, stands still, and now and then steps back, as real clocks do. */
export function clockOf(random: Random): () => number {
  let now = 1_741_500_000_000 + random.int(0, 1e9)
  return () => (now += random.chance(0.05) ? -1 : random.int(0, 900))
}
