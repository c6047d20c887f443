// The borders between the rooms, derived from the source: a real parser reads every file, so no comment can lift a rule.
// The tables below are the rules. An import of a type crosses a border like any other; test files beside the code may use
// Node, packages and the shared suites, but no other room.
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { parseSync } from 'rolldown/utils'

// A room may always import itself. The longest matching key is the room of a file.
const everything = ['src/']
const webRooms = ['base', 'model', 'framing', 'dialects', 'stream', 'prices', 'analyze', 'views'].map((name) => `src/${name}/`)
const agentsMay = ['base/', 'model/', 'framing/', 'dialects/', 'stream/', 'files/', 'prices/', 'supervise/contract.ts'].map(
  (place) => `src/${place}`,
)
const rooms: Record<string, readonly string[]> = {
  'src/base/': [],
  'src/model/': ['src/base/'],
  'src/framing/': ['src/base/'],
  'src/dialects/': ['src/base/', 'src/model/'],
  'src/stream/': ['src/base/', 'src/model/', 'src/framing/', 'src/dialects/'],
  'src/prices/': ['src/base/'],
  'src/analyze/': ['src/base/', 'src/model/', 'src/prices/'],
  'src/supervise/': ['src/base/', 'src/model/', 'src/analyze/', 'src/prices/'],
  'src/files/': ['src/base/', 'src/framing/'],
  'src/script/': ['src/base/'],
  'src/agents/': agentsMay,
  'src/agents/builtin/': [...agentsMay, 'src/agents/', 'src/script/'],
  'src/config/': ['src/base/', 'src/model/', 'src/files/', 'src/supervise/contract.ts'],
  'src/run/': ['src/'],
  'src/control/': ['src/base/', 'src/model/', 'src/framing/', 'src/files/', 'src/log/', 'src/supervise/contract.ts', 'src/run/contract.ts'],
  'src/log/': ['src/base/', 'src/model/', 'src/framing/', 'src/files/'],
  'src/views/': ['src/base/', 'src/model/', 'src/analyze/'],
  'src/testing/': ['src/base/', 'src/model/', 'src/dialects/', 'src/stream/'],
  'src/hosts/': ['src/'],
  'src/server/': everything,
  'src/cli/': everything,
  'src/index.ts': webRooms,
  'web/': webRooms,
}
const browserSafe = [...webRooms, 'src/index.ts', 'web/']

// Which file may load which package. Schemas are written with typebox and compiled to plain code by a script: the program
// itself does not load it, and the types that follow from them are erased.
const packages: readonly { name: string; files: RegExp; typesIn?: RegExp }[] = [
  { name: 'get-east-asian-width', files: /^src\/views\/layout\.ts$/ },
  { name: 'diff', files: /^src\/(views\/patch|agents\/builtin\/tools\/save)\.ts$/ },
  { name: 'yaml', files: /^src\/(base\/document|script\/record-text)\.ts$/ },
  { name: 'jsonc-parser', files: /^src\/base\/document\.ts$/ },
  { name: 're2js', files: /^src\/(analyze\/rules|script\/pattern|run\/supervisors|config\/parse)\.ts$/ },
  { name: 'unbash', files: /^src\/supervise\/shell[^/]*\.ts$/ },
  { name: '@ai-sdk/provider', files: /^$/, typesIn: /^src\/agents\/builtin\// },
  ...['anthropic', 'openai', 'google', 'openai-compatible'].map((api) => ({
    name: `@ai-sdk/${api}`,
    files: /^src\/agents\/builtin\/model\/load\.ts$/,
  })),
  { name: '@modelcontextprotocol/client', files: /^src\/agents\/builtin\/mcp\// },
  { name: '@vscode/ripgrep', files: /^src\/agents\/builtin\/tools\/ripgrep\.ts$/ },
  { name: 'node-html-markdown', files: /^src\/agents\/builtin\/tools\/html\.ts$/ },
  { name: 'ipaddr.js', files: /^src\/agents\/builtin\/tools\/address\.ts$/ },
  {
    name: 'typebox',
    files: /^src\/(dialects\/([^/]+\/)?wire[^/]*|model\/([^/]+\/)*[^/]*schema[^/]*)\.ts$/,
    typesIn: /^src\/model\//,
  },
]
const nodeGlobals = ['process', 'Buffer', 'setImmediate', 'require', '__dirname', '__filename']
const loaders = /^(require|import\.meta\.resolve|[\w.?]*getBuiltinModule)$/
const isTest = (file: string): boolean => file.endsWith('.test.ts')
const testMayImport = ['test/', 'fixtures/', 'src/testing/']

interface Reference {
  readonly line: number
  /** The specifier as written; undefined when it is computed. */
  readonly to?: string
  readonly typeOnly?: boolean
  readonly global?: string
}
type Syntax = Record<string, unknown> & { type: string; start: number; end: number }
const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

export function referencesOf(file: string, text: string): Reference[] {
  const { program, errors, comments } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const found: Reference[] = []
  const textOf = (node: Syntax): string => text.slice(node.start, node.end)
  const lineOf = (start: number): number => text.slice(0, start).split('\n').length
  for (const comment of comments) {
    const directive = /^\/\s*<reference\s+(?:types|path)\s*=\s*["']([^"']+)/.exec(comment.value)
    if (directive?.[1] !== undefined) found.push({ line: lineOf(comment.start), to: directive[1] })
  }
  const literal = (node: unknown): string | undefined => {
    if (!isSyntax(node)) return undefined
    if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
    const quasis = node['quasis'] as { value: { cooked: string } }[] | undefined
    return node.type === 'TemplateLiteral' && quasis?.length === 1 ? quasis[0]?.value.cooked : undefined
  }
  const add = (at: Syntax, source: unknown): void => {
    const to = literal(source)
    const typeOnly = at['importKind'] === 'type' || at['exportKind'] === 'type' || at.type === 'TSImportType'
    found.push({ line: lineOf(at.start), typeOnly, ...(to === undefined ? {} : { to }) })
  }
  const visit = (node: Syntax): void => {
    const first = (node['arguments'] as unknown[] | undefined)?.[0]
    const head = (node['callee'] ?? node['object']) as Syntax | undefined
    const name = head === undefined ? '' : textOf(head)
    if (isSyntax(node['source'])) add(node, node['source'])
    else if (node.type === 'TSExternalModuleReference') add(node, node['expression'])
    else if (node.type === 'CallExpression' && loaders.test(name)) add(node, first)
    else if (node.type === 'NewExpression' && name === 'URL' && /\.[cm]?[jt]sx?$/.test(literal(first) ?? '')) add(node, first)
    if (head?.type === 'Identifier' && nodeGlobals.includes(name)) found.push({ line: lineOf(node.start), global: name })
    for (const value of Object.values(node)) for (const child of Array.isArray(value) ? value : [value]) if (isSyntax(child)) visit(child)
  }
  visit(program as unknown as Syntax)
  return found
}

const within = (file: string, places: readonly string[]): boolean =>
  places.some((place) => file === place || (place.endsWith('/') && file.startsWith(place)))
const roomOf = (file: string): string | undefined =>
  Object.keys(rooms)
    .filter((room) => within(file, [room]))
    .toSorted((a, b) => b.length - a.length)[0]
const resolve = (from: string, to: string): string => posix.join(posix.dirname(from), to)
const dialectOf = (file: string): string | undefined => /^src\/dialects\/([^/]+)\//.exec(file)?.[1]

/** One line for each broken rule. */
export function findLeaks(sources: ReadonlyMap<string, string>): string[] {
  const all = new Map([...sources].map(([file, text]) => [file, referencesOf(file, text)]))
  // The dialects that a file reaches, also by way of the contract and registry files that lie beside the dialect folders.
  const dialectsBehind = (file: string, seen = new Set<string>()): string[] => {
    const own = dialectOf(file)
    if (own !== undefined || seen.has(file) || !file.startsWith('src/dialects/')) return own === undefined ? [] : [own]
    seen.add(file)
    const next = (all.get(file) ?? []).flatMap(({ to }) => (to?.startsWith('.') ? [resolve(file, to)] : []))
    return next.flatMap((target) => dialectsBehind(target, seen))
  }

  const leakOf = (file: string, room: string, { to, typeOnly, global }: Reference): string | undefined => {
    const free = isTest(file)
    const safe = within(file, browserSafe) && !free
    if (global !== undefined) return safe ? `uses Node's '${global}' in a browser-safe room` : undefined
    if (to === undefined) return safe ? 'imports a computed name, which nobody can check' : undefined
    if (isBuiltin(to)) return safe ? `imports '${to}' in a browser-safe room` : undefined
    if (!/^\.\.?\//.test(to)) {
      const known = packages.find(({ name }) => to === name || to.startsWith(`${name}/`))
      const allowed = free || known?.files.test(file) || (typeOnly && known?.typesIn?.test(file))
      return allowed ? undefined : `imports the package '${to}', which this file may not`
    }
    const target = resolve(file, to)
    const dialect = dialectOf(file)
    const other = dialect === undefined ? undefined : dialectsBehind(target).find((name) => name !== dialect)
    if (other !== undefined) return `dialect '${dialect}' imports dialect '${other}' by '${to}'`
    if (within(target, [room, ...(rooms[room] ?? []), ...(free ? testMayImport : [])])) return undefined
    return `room '${room}' may not import '${target}'`
  }

  return [...all].flatMap(([file, references]) => {
    const room = roomOf(file)
    if (room === undefined) return [`${file}: belongs to no room`]
    return references.flatMap((reference) => {
      const leak = leakOf(file, room, reference)
      return leak === undefined ? [] : [`${file}:${reference.line}: ${leak}`]
    })
  })
}
