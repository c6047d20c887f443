// Builds dist/: generated checks and schemas, the library with its entry points and types, and one bundle a command.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown, type InputOptions, type OutputOptions } from 'rolldown'
import { generate } from './generate.ts'
import { generatePrices } from './prices.ts'
import { generateWasm } from './wasm.ts'

const root = join(import.meta.dirname, '..')
const path = (...parts: string[]): string => join(root, ...parts)
const { version } = JSON.parse(readFileSync(path('package.json'), 'utf8')) as { version: string }
const commands = [
  'run',
  'chat',
  'agents',
  'control',
  'answer',
  'emit',
  'demo',
  'convert',
  'validate',
  'detect',
  'schema',
  'watch',
  'digest',
  'show',
  'usage',
  'models',
  'model',
  'tools',
  'skills',
  'doctor',
  'trust',
  'claude',
  'completion',
  'help',
  'tour',
]
/** Bundles of their own beside the commands: what another process or thread runs. */
const parts = ['usage-worker']
/** These load other commands, to tell of their options. */
const knowsAll = ['completion', 'help']
const agentCommands = ['run', 'chat', 'demo', 'tools', 'doctor', 'claude']
const dialects = readdirSync(path('src/dialects'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** Packages whose code the bundles hold; the figures of one are in the prices. */
const inlined = new Set(['@pydantic/genai-prices'])
const packageOf = (file: string): string | undefined => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]

async function bundle(input: InputOptions, output: OutputOptions): Promise<void> {
  const build = await rolldown({
    platform: 'node',
    logLevel: 'warn',
    makeAbsoluteExternalsRelative: false,
    transform: { define: { SLUICE_VERSION: JSON.stringify(version) } },
    ...input,
  })
  const { output: files } = await build.write({
    dir: path('dist'),
    format: 'esm',
    minify: true,
    comments: false,
    ...output,
  } as OutputOptions)
  for (const file of files) if (file.type === 'chunk') for (const id of file.moduleIds) inlined.add(packageOf(id) ?? '')
  await build.close()
}

rmSync(path('dist'), { recursive: true, force: true })
await generate()
await generatePrices()
generateWasm()

// Packages that only some options need; they are loaded when one is used. The first stay packages, the others come along, each in a
// file of its own, so that whoever installs sluice does not install them.
const isRare = (id: string): boolean => ['yaml', 're2js', '@vscode/ripgrep'].includes(id)
const vendored: Record<string, string> = {
  anthropic: '@ai-sdk/anthropic',
  openai: '@ai-sdk/openai',
  google: '@ai-sdk/google',
  'openai-compatible': '@ai-sdk/openai-compatible',
  mcp: '@modelcontextprotocol/client',
  unbash: 'unbash',
  jsonc: 'jsonc-parser',
  html: 'node-html-markdown',
  addresses: 'ipaddr.js',
}
const entryOf = (id: string): string => (id === 'jsonc-parser' ? path('node_modules/jsonc-parser/lib/esm/main.js') : id) // its main cannot be bundled
await bundle(
  {
    input: Object.fromEntries(Object.entries(vendored).map(([name, id]) => [name, entryOf(id)])),
    preserveEntrySignatures: 'allow-extension',
  },
  { dir: path('dist/lib/vendor'), chunkFileNames: 'shared/[name].js' },
)

/**
 * The library says which Node it needs in place of failing somewhere inside. Modules without imports are evaluated first, so the check
 * stands in each of them. Browsers and other runtimes are not asked for a version.
 */
const needsNode =
  '{const{release:r,versions:v,version:n}=globalThis.process??{};' +
  'if(r?.name==="node"&&!v.bun&&!v.deno&&parseInt(v.node)<24)throw new Error(`sluice needs Node 24 or newer; this is ${n}. ' +
  'Install it from https://nodejs.org, or with "npm install node@24", and then start your program with "npx node"`)}'
const checkNode = {
  name: 'check of Node',
  /** On a line of its own, after minifying: Node prints the whole line that throws. */
  generateBundle(_: unknown, files: Record<string, { type: 'asset' } | { type: 'chunk'; imports: string[]; code: string }>) {
    for (const file of Object.values(files))
      if (file.type === 'chunk' && !file.imports.some((name) => Object.hasOwn(files, name))) file.code = `${needsNode}\n${file.code}`
  },
}

// The library: entry points that share their code.
const entries = Object.fromEntries(dialects.map((name) => [`dialects/${name}`, path(`src/dialects/${name}/index.ts`)]))
await bundle(
  {
    input: {
      index: path('src/index.ts'),
      analyze: path('src/analyze/index.ts'),
      stream: path('src/stream/index.ts'),
      testing: path('src/testing/index.ts'),
      prices: path('src/prices/index.ts'),
      'price-table': path('src/prices/table.gen.js'),
      ...entries,
    },
    external: isRare,
    preserveEntrySignatures: 'allow-extension',
    plugins: [checkNode],
  },
  {
    dir: path('dist/lib'),
    chunkFileNames: 'shared/[name].js',
    codeSplitting: {
      groups: [
        { name: 'core', test: /src\/(base|model)\/|contract\.ts$/ },
        { name: 'streams', test: /src\/(framing|stream)\/(?!index\.ts)/ }, // else the entry `stream` would export what `index` needs of it
      ],
    },
  },
)

// The command line: a small entry that loads one bundle a command; dialects and prices are the library's.
/**
 * To import node:fs loads its streams too, which takes a tenth of a start; to ask for it does not. A Node that is too old for that must get
 * as far as the word about it.
 */
const plugins = [
  {
    name: 'node:fs without its streams',
    renderChunk: (code: string) =>
      code.replace(
        /^import (\{[^}]*\}) from "node:fs";$/gm,
        (_, names: string) => `const ${names.replaceAll(' as ', ': ')} = process.getBuiltinModule?.("node:fs") ?? {};`,
      ),
  },
]
const isCommand = (id: string): boolean => commands.some((name) => id === `./${name}.ts`)
/** Where a command finds what it shares with the others. */
function sharedOf(id: string): string | undefined {
  const vendor = Object.keys(vendored).find((name) => vendored[name] === id)
  if (vendor !== undefined) return `./lib/vendor/${vendor}.js`
  const part = [...parts, 'show'].find((name) => id === `./${name}.ts`) // the tour shows a session as the command does
  if (part !== undefined) return `./${part}.js`
  if (id.endsWith('/table.gen.js')) return './lib/price-table.js'
  const dialect = /^(?:\.\.\/)+dialects\/(\w+)\/index\.ts$/.exec(id)?.[1]
  return dialect === undefined ? undefined : `./lib/dialects/${dialect}.js`
}
await bundle(
  { input: { cli: path('src/cli/main.ts') }, external: isCommand, plugins },
  { paths: (id: string) => id.replace(/\.ts$/, '.js'), codeSplitting: false },
)
const isShared = (id: string): boolean => sharedOf(id) !== undefined || isRare(id)
const pathOf = (id: string): string => sharedOf(id) ?? id
for (const name of [...commands, ...parts]) {
  if (agentCommands.includes(name) || knowsAll.includes(name)) continue
  await bundle({ input: { [name]: path(`src/cli/${name}.ts`) }, external: isShared, plugins }, { paths: pathOf, codeSplitting: false })
}
for (const name of knowsAll) {
  await bundle(
    { input: { [name]: path(`src/cli/${name}.ts`) }, external: (id) => isShared(id) || isCommand(id), plugins },
    { paths: (id: string) => (isCommand(id) ? id.replace(/\.ts$/, '.js') : pathOf(id)), codeSplitting: false },
  )
}
/** Not what only people look at: measuring text takes long to load. */
const agentCode =
  /src\/(?!cli|views|analyze\/(?!track)|agents\/(?!builtin|process)\w+\/)|src\/cli\/(run-|exit|io|options|dialects|version|usage-prices)/
// Those that run the agent have nearly all of their code in common: it stands in one file beside them.
await bundle(
  { input: Object.fromEntries(agentCommands.map((name) => [name, path(`src/cli/${name}.ts`)])), external: isShared, plugins },
  {
    paths: pathOf,
    chunkFileNames: 'agent-[name].js', // never the name of a command
    codeSplitting: { groups: [{ name: 'core', minShareCount: 2, test: agentCode }] },
  },
)

// The manual page. It is made of what the commands export, which exists only since the parts above have been generated.
const { manualPage } = (await import('./man.ts')) as typeof import('./man.ts')
mkdirSync(path('dist/man'))
writeFileSync(path('dist/man/sluice.1'), await manualPage(version))

// The bundles hold code and figures of these packages, so their licences come along. Whose each is stands beside the package; a text that
// several share stands there once.
type Licence = { name: string; owners: string[]; text: string }
function licenceOf(name: string): Licence {
  const folder = path('node_modules', name)
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const { license = '' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { license?: string }
  if (file === undefined && license === '') throw new Error(`${name} has no licence`)
  const lines = file === undefined ? [`Licence: ${license}`] : readFileSync(join(folder, file), 'utf8').trim().split('\n')
  const isOwner = (line: string): boolean => /^\s*copyright (\(c\)|©|\d)/i.test(line)
  return {
    name,
    owners: lines.filter(isOwner),
    text: lines
      .filter((line) => !isOwner(line))
      .join('\n')
      .trim(),
  }
}
inlined.delete('')
const licences = Map.groupBy([...inlined].toSorted().map(licenceOf), ({ text }) => text.replaceAll(/\s+/g, ' '))
writeFileSync(
  path('dist/licences.txt'),
  [...licences.values()]
    .map((same) => `${same.map(({ name, owners }) => [name, ...owners].join('\n')).join('\n\n')}\n\n${same[0]!.text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`),
)

// The types that the entry points lead to; the rest is of no use outside.
execFileSync(process.execPath, [path('node_modules/typescript/bin/tsc'), '-p', path('scripts/tsconfig.types.json')], { stdio: 'inherit' })
const reached = new Set<string>()
const reach = (file: string): void => {
  if (reached.has(file)) return
  reached.add(file)
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)
  for (const [, specifier] of specifiers)
    if (!specifier!.endsWith('.gen.js')) reach(join(file, '..', specifier!.replace(/\.[jt]s$/, '.d.ts')))
}
for (const entry of [
  'index',
  'analyze/index',
  'prices/index',
  'stream/index',
  'testing/index',
  ...dialects.map((name) => `dialects/${name}/index`),
])
  reach(path(`dist/types/${entry}.d.ts`))
for (const name of readdirSync(path('dist/types'), { recursive: true, encoding: 'utf8' })) {
  if (name.endsWith('.d.ts') && !reached.has(path('dist/types', name))) rmSync(path('dist/types', name))
}
// The compiler names the package again for each of the thousands of parts of the schemas, and sets each part in by four spaces more.
const ofTypebox = 'import("typebox").'
for (const file of reached) {
  const text = readFileSync(file, 'utf8').replaceAll(/^( {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
  writeFileSync(file, text.includes(ofTypebox) ? `import type * as Tb from 'typebox'\n${text.replaceAll(ofTypebox, 'Tb.')}` : text)
}
