// From the text of a script, YAML or JSON, to a Script. Whatever is not understood is an error that says where it stands.
import { type Mistake, mistakesIn, type Path } from '../base/check.ts'
import { DocumentError, readYaml, type Source } from '../base/document.ts'
import { quoted } from '../base/text.ts'
import { compilePattern, type Pattern } from './pattern.ts'
import { scriptSchema } from './schema.ts'
import type { Conversation, Finish, Input, Lane, Script, Turn, Usage } from './script.ts'

/** One line a mistake, each with the file and the line in it. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
}

// As the schema has it.
type RawPace = { chunk?: number; delay?: number | string }
export type RawTurn = RawPace & {
  think?: string
  text?: string
  tools?: { name: string; input?: Input; id?: string }[]
  usage?: Partial<Usage>
  finish?: Finish
  error?: { status?: number; message?: string; retryAfter?: number | string; times?: number }
  cut?: boolean | number
  malformed?: boolean
}
export type RawWhen = { prompt?: string; system?: string; model?: string; agent?: string; tools?: boolean }
export type RawLane = { name?: string; when?: RawWhen; turns: RawTurn[]; repeat?: boolean }
export type RawScript = RawPace & { model?: string; lanes?: RawLane[]; turns?: RawTurn[] }

const someUsage: Usage = { input: 100, output: 20, reasoning: 0, cacheRead: 0, cacheWrite: 0 }
const noUsage: Usage = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 }
const mostMistakes = 20

export async function loadScript(text: string, file: string): Promise<Script> {
  const value = parseJson(text) ?? (await parseYaml(text, file)).value
  const mistakes = [...mistakesIn(value, scriptSchema, 'the script')]
  const script = mistakes.length > 0 ? undefined : await compile(value as RawScript, mistakes) // checked just now
  if (script !== undefined && mistakes.length === 0) return script
  const { lineOf } = await parseYaml(text, file) // JSON is YAML, too
  throw new ScriptError(
    mistakes
      .slice(0, mostMistakes)
      .map((mistake) => `${file}:${lineOf(mistake)}: ${mistake.message}`)
      .join('\n'),
  )
}

/** Undefined: it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function parseYaml(text: string, file: string): Promise<Source> {
  try {
    return await readYaml(text)
  } catch (error) {
    throw error instanceof DocumentError ? new ScriptError(`${file}:${error.line}: ${error.message}`) : error
  }
}

async function compile(raw: RawScript, mistakes: Mistake[]): Promise<Script> {
  const lanes: Lane[] = []
  for (const [index, { name, when = {}, turns, repeat = false }] of (raw.lanes ?? []).entries()) {
    const matches = await matcherOf(when, ['lanes', index, 'when'], mistakes)
    lanes.push({ name: name ?? `lane ${index + 1}`, matches, turns: turns.map((turn) => turnOf(turn, raw)), repeat })
  }
  if (raw.turns !== undefined)
    lanes.push({ name: 'main', matches: () => true, turns: raw.turns.map((turn) => turnOf(turn, raw)), repeat: false })
  return { model: raw.model, lanes }
}

async function matcherOf({ tools, ...when }: RawWhen, path: Path, mistakes: Mistake[]): Promise<Lane['matches']> {
  const tests: [part: keyof typeof when, test: Pattern][] = []
  for (const part of ['prompt', 'system', 'model', 'agent'] as const) {
    const source = when[part]
    if (source === undefined) continue
    try {
      tests.push([part, await compilePattern(source)])
    } catch (error) {
      mistakes.push({ path: [...path, part], message: `the pattern ${quoted(source)} is not valid: ${(error as Error).message}` })
    }
  }
  return (conversation: Conversation) =>
    (tools === undefined || tools === conversation.tools) && tests.every(([part, test]) => test(conversation[part]))
}

function turnOf(raw: RawTurn, defaults: RawPace): Turn {
  const { think, text, tools = [], usage, error, cut = false, malformed = false } = raw
  return {
    think,
    text,
    tools: tools.map(({ name, input = {}, id }) => ({ name, input, id })),
    chunk: raw.chunk ?? defaults.chunk,
    delay: milliseconds(raw.delay ?? defaults.delay ?? 0, 1),
    usage: usage === undefined ? someUsage : { ...noUsage, ...usage },
    finish: raw.finish ?? (tools.length > 0 ? 'tool-calls' : 'stop'),
    error: error && {
      status: error.status ?? 500,
      message: error.message ?? 'The script says that this request fails.',
      retryAfter: error.retryAfter === undefined ? undefined : milliseconds(error.retryAfter, 1000),
      times: error.times ?? Infinity,
    },
    cuts: cut === true ? Infinity : Number(cut),
    malformed,
  }
}

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000 }
const longestTimer = 2 ** 31 - 1

/** `unit`: what a number alone is multiplied by. */
function milliseconds(value: number | string, unit: number): number {
  const ms = typeof value === 'number' ? value * unit : Number.parseFloat(value) * units[value.replace(/^[\d.]+/, '')]!
  return Math.min(ms, longestTimer)
}
