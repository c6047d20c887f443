// From the text of a YAML or JSON file to its value, and from a place in the value back to the line it stands on. Both readers are
// heavy and load when they are used; both are strict: a key that stands twice is an error, for nobody can say which one counts.
import type { Node as JsonNode, ParseError } from 'jsonc-parser'
import type { Document, Node, YAMLMap } from 'yaml'
import type { Mistake, Path } from './check.ts'

export type Source = {
  value: unknown
  /** The line of the value under a path, or of its key; of what is missing, that of its parent. */
  lineOf(place: Pick<Mistake, 'path' | 'ofKey'>): number
  /** The keys of a mapping as they are written: JavaScript puts numbers first. */
  keysAt(path: Path): string[]
}

/** The text is not of its format. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

// ── YAML ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * `aliases: false`: `*name` is refused, so that every value stands where it counts. `texts`: no value is taken for a number or the
 * like, so that a version 1.10 stays one.
 */
export async function readYaml(text: string, { aliases = true, texts = false } = {}): Promise<Source> {
  const { LineCounter, parseDocument, visit, isScalar, isMap } = await import('yaml')
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const fail = (message: string, offset = 0): never => {
    throw new DocumentError(message, lineAt(offset))
  }
  // The package looks for keys that stand twice, too, but its time grows with the square of their number.
  const options = {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'error',
    ...(texts && { schema: 'failsafe' }),
  } as const
  const document = deep(() => parseDocument(text, options))
  const problem = document.errors[0] ?? document.warnings[0]
  if (problem?.code === 'MULTIPLE_DOCS') fail('a second document begins here; only one is read', problem.pos[0])
  if (problem !== undefined) fail(/call stack/.test(problem.message) ? tooDeep : problem.message, problem.pos[0])
  if (document.directives?.yaml.version !== '1.2') fail('only YAML 1.2 is read; leave the directive %YAML out')
  const checkKeys = ({ items }: YAMLMap): void => {
    const seen = new Set<string>()
    for (const { key } of items) {
      const offset = (key as Node).range?.[0]
      if (!isScalar(key)) return fail('a key must be a text', offset)
      const name = String(key.value)
      if (seen.has(name)) fail('Map keys must be unique', offset)
      seen.add(name)
    }
  }
  deep(() => visit(document, { Map: (_, node) => checkKeys(node) }))
  const valueOf = (): unknown => {
    try {
      return document.toJS(aliases ? {} : { maxAliasCount: 0 })
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error
      const named = error.message.split(': ')[1] // of no anchor; else aliases grow without end, or there are any at all
      let offset: number | undefined
      visit(document, { Alias: (_, { source, range }) => void (source === (named ?? source) && (offset ??= range?.[0])) })
      return fail(error.message, offset)
    }
  }
  return {
    value: deep(valueOf),
    lineOf: (place) => lineAt(offsetOf(document, place)),
    keysAt(path) {
      const node = document.getIn(path, true)
      return isMap(node) ? node.items.map(({ key }) => String((key as { value: unknown }).value)) : []
    },
  }
}

function offsetOf(document: Document, { path, ofKey }: Pick<Mistake, 'path' | 'ofKey'>): number {
  if (ofKey) {
    const parent = document.getIn(path.slice(0, -1), true) as { items?: { key?: { value?: unknown; range?: [number, number, number] } }[] }
    const key = parent.items?.find((pair) => String(pair.key?.value) === path.at(-1))?.key
    if (key?.range !== undefined) return key.range[0]
  }
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as Node | undefined
    if (node?.range) return node.range[0]
  }
  return 0
}

// ── JSON with comments ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Comments and a comma before a closing bracket are fine. */
export async function readJsonc(text: string): Promise<Source> {
  const { findNodeAtLocation, parseTree, printParseErrorCode } = await import('jsonc-parser')
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length
  const errors: ParseError[] = []
  const root = deep(() => parseTree(text, errors, { allowTrailingComma: true }))
  const problem = errors[0]
  if (root === undefined || problem !== undefined) {
    const said = problem === undefined ? 'there is nothing in it' : printParseErrorCode(problem.error)
    throw new DocumentError(`this is not JSON: ${wordsOf(said)}`, lineAt(problem?.offset ?? 0))
  }
  const valueOf = ({ type, value, children = [] }: JsonNode): unknown => {
    if (type === 'array') return children.map(valueOf)
    if (type !== 'object') return value
    const entries = new Map<string, unknown>()
    for (const { children: [key, under] = [] } of children) {
      const name = key!.value as string // a property of a tree without errors has both
      if (entries.has(name)) throw new DocumentError(`the key ${JSON.stringify(name)} stands twice`, lineAt(key!.offset))
      entries.set(name, valueOf(under!))
    }
    return Object.fromEntries(entries) // a plain assignment would take __proto__ for what it is
  }
  const nodeAt = (path: Path): JsonNode | undefined => findNodeAtLocation(root, [...path])
  return {
    value: deep(() => valueOf(root)),
    lineOf({ path, ofKey }) {
      for (let length = path.length; length >= 0; length--) {
        const node = nodeAt(path.slice(0, length))
        if (node === undefined) continue
        return lineAt(ofKey && length === path.length ? (node.parent?.offset ?? node.offset) : node.offset)
      }
      return 1
    },
    keysAt: (path) =>
      (nodeAt(path)?.children ?? []).flatMap(({ type, children }) => (type === 'property' ? [children![0]!.value as string] : [])),
  }
}

/** `CommaExpected` → `comma expected`. */
const wordsOf = (name: string): string => name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()

const tooDeep = 'it is nested too deeply'

/** Both packages call themselves for each level. */
function deep<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) throw new DocumentError(tooDeep, 1)
    throw error
  }
}
