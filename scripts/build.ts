// Builds dist/: generated checks and schemas, the library with its entry points and types, and one bundle a command.
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown, type InputOptions, type OutputOptions } from 'rolldown'
import { generate } from './generate.ts'

const root = join(import.meta.dirname, '..')
const path = (...parts: string[]): string => join(root, ...parts)
const { version } = JSON.parse(readFileSync(path('package.json'), 'utf8')) as { version: string }
const commands = ['convert', 'validate', 'detect', 'schema', 'tour']
const dialects = readdirSync(path('src/dialects'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

async function bundle(input: InputOptions, output: OutputOptions): Promise<void> {
  const build = await rolldown({
    platform: 'node',
    logLevel: 'warn',
    makeAbsoluteExternalsRelative: false,
    transform: { define: { SLUICE_VERSION: JSON.stringify(version) } },
    ...input,
  })
  await build.write({ dir: path('dist'), format: 'esm', minify: true, comments: false, ...output } as OutputOptions)
  await build.close()
}

rmSync(path('dist'), { recursive: true, force: true })
await generate()

// The command line: a small entry that loads one bundle a command; the dialects in use are files of their own.
const isCommand = (id: string): boolean => commands.some((name) => id === `./${name}.ts`)
const dialectFile = (id: string): string | undefined => /^\.\.\/dialects\/(\w+)\/index\.ts$/.exec(id)?.[1]
await bundle(
  { input: { cli: path('src/cli/main.ts') }, external: isCommand },
  { paths: (id: string) => id.replace(/\.ts$/, '.js'), entryFileNames: '[name].js' },
)
for (const name of commands) {
  await bundle(
    { input: { [name]: path(`src/cli/${name}.ts`) }, external: (id: string) => dialectFile(id) !== undefined },
    {
      paths: (id: string) => (dialectFile(id) === undefined ? id : `./command-dialects/${dialectFile(id)}.js`),
      codeSplitting: false,
    },
  )
}
for (const name of dialects) {
  await bundle({ input: { [name]: path(`src/dialects/${name}/index.ts`) } }, { dir: path('dist/command-dialects'), codeSplitting: false })
}

// The library: entry points that share their code.
const entries = Object.fromEntries(dialects.map((name) => [`dialects/${name}`, path(`src/dialects/${name}/index.ts`)]))
await bundle(
  { input: { index: path('src/index.ts'), testing: path('src/testing/index.ts'), ...entries } },
  { dir: path('dist/lib'), minify: false },
)
execFileSync(process.execPath, [path('node_modules/typescript/bin/tsc'), '-p', path('scripts/tsconfig.types.json')], {
  stdio: 'inherit',
})
for (const name of dialects) cpSync(path(`src/dialects/${name}/shapes.gen.d.ts`), path(`dist/types/dialects/${name}/shapes.gen.d.ts`))
