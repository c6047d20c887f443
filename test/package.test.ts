// What a user gets: the packed tarball, installed without network and without scripts into an empty project, and used there.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { needDebian } from './debian.ts'

const root = dirname(import.meta.dirname)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const scratch = mkdtempSync(join(tmpdir(), 'sluice-package-'))
const project = join(scratch, 'project')
const installed = join(project, 'node_modules/sluice')
after(() => rmSync(scratch, { recursive: true, force: true }))

// npm hands its own settings to what it starts (`npm test`): the project of a user has none of them. Node 24 comes first.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
env['PATH'] = [dirname(process.execPath), process.env['PATH']].join(delimiter)

/** The exit code must be 0; gives standard output. */
function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}

interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[]
}
let packed: Packed

// The published types are derived from typebox; no code of the package loads it.
const forTypes = ['typebox']
const loaded = ['yaml', 're2js', '@vscode/ripgrep']

before(() => {
  const built = existsSync(join(root, 'dist/cli.js'))
  assert.ok(built, "dist/cli.js is missing, these tests need it: run 'npm run build' first")
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch]
  packed = JSON.parse(run('npm', pack, root))[0]
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "user", "version": "1.0.0", "type": "module" }')
  const system = `@vscode/ripgrep-${process.platform}-${process.arch}` // the binary of this machine
  const types = [...forTypes, ...loaded, system].map((name) => join(root, 'node_modules', name))
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier']
  run('npm', ['install', '--offline', '--ignore-scripts', ...quiet, join(scratch, packed.filename), ...types], project)
})

test('brings along only what its types need, and what it loads when an option asks for it', () => {
  const needed = Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  })
  assert.deepEqual(
    needed.filter((name) => !forTypes.includes(name) && !loaded.includes(name)),
    [],
  )
})

test('its types serve a strict project', () => {
  const user = [
    `import { convert, detect, read, validate, type Event, type Sniffer } from 'sluice'`,
    `import { appctl } from 'sluice/dialects/appctl'`,
    `export const events: Event[] = read('{}', { dialect: 'appctl' })`,
    `export const text: string = convert('{}', { from: 'appctl', to: 'claude' }).text + appctl.name`,
    `export const again = read('{}', { dialect: detect('{}').dialect ?? validate('{}').dialect ?? convert('{}', { to: 'claude' }).from })`,
    `// @ts-expect-error a dialect that does not exist`,
    `convert('{}', { to: 'no-dialect' })`,
    `export let chosen: Sniffer | undefined`,
    `// @ts-expect-error a kind that does not exist: Event is no any`,
    `export const wrong = events[0]?.kind === 'no.kind'`,
  ]
  writeFileSync(join(project, 'user.ts'), user.join('\n'))
  // Neither the names of a browser nor those of Node.
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024']
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, '--types', '', 'user.ts'], project)
})

test('a project that declares its types can pass on what it gets and what it gives', async () => {
  const entries = Object.keys(manifest.exports).filter((entry) => !/[*]|json$/.test(entry))
  const folder = join(project, 'declared')
  mkdirSync(folder)
  const dialects = Object.keys((await import('sluice')).dialects)
  for (const entry of [...entries, ...dialects.map((dialect) => `./dialects/${dialect}`)]) {
    const name = `sluice${entry.slice(1)}`
    const functions = Object.entries((await import(name)) as object).filter(
      ([key, value]) => typeof value === 'function' && /^[a-z]/.test(key),
    )
    const wrapped = functions.flatMap(([key]) => [
      `export const same_${key} = its.${key}`,
      `export const call_${key} = (...given: Parameters<typeof its.${key}>) => its.${key}(...given)`,
    ])
    const dialect = dialects.find((one) => entry === `./dialects/${one}`)
    const parts = dialect === undefined ? [] : ['decoder()', 'order()', 'encoder', 'loss', 'rules', 'shapes', 'tag', 'claim']
    const passed = parts.map((part, at) => `export const part_${at} = its.${dialect}.${part}`)
    if (dialect !== undefined) passed.push(`export const whole = its.${dialect}`)
    // A file of its own each: what one entry names does not help another.
    writeFileSync(join(folder, `${name.replaceAll('/', '-')}.ts`), [`import * as its from '${name}'`, ...wrapped, ...passed].join('\n'))
  }
  const options = ['--declaration', '--emitDeclarationOnly', '--outDir', 'out', '--strict', '--module', 'nodenext', '--target', 'es2024']
  const files = readdirSync(folder)
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, '--lib', 'es2024', '--types', '', ...files], folder)
})

test('holds what a user needs, nothing of ours, and stays small', () => {
  const paths = packed.files.map(({ path }) => path)
  for (const needed of ['LICENSE', 'README.md', 'package.json', 'bin/sluice', 'bin/sluice-claude', 'dist/cli.js', 'dist/licences.txt'])
    assert.ok(paths.includes(needed), `${needed} is not packed`)
  const ours = /\.test\.|(^|\/)(test|bench|scripts|node_modules|fixtures\/claude|bench\/corpora)\/|^\.|tsconfig|\.oxlintrc|knip/
  assert.deepEqual(
    paths.filter((path) => ours.test(path)),
    [],
  )
  const launcher = packed.files.find(({ path }) => path === 'bin/sluice')
  assert.ok(launcher !== undefined && (launcher.mode & 0o111) === 0o111, 'bin/sluice is not executable')
  const largest = packed.files.toSorted((a, b) => b.size - a.size).slice(0, 5)
  const sizes = largest.map(({ path, size }) => `${path} ${size}`).join(', ')
  // Half a megabyte are the pages of docs/. A fifth of it are packages that a user would have to install otherwise: providers, MCP, a shell parser.
  assert.ok(packed.unpackedSize < 7_200_000, `${packed.unpackedSize} bytes unpacked; largest: ${sizes}`)
})

test('names no folder of the machine that built it, and maps point to no test', () => {
  for (const { path } of packed.files) {
    const text = readFileSync(join(installed, path), 'utf8')
    assert.ok(!text.includes(root), `${path} holds the path '${root}'`)
    if (!path.endsWith('.map')) continue
    const { sources } = JSON.parse(text) as { sources: string[] }
    assert.deepEqual(
      sources.filter((source) => /\.test\.|(^|\/)test\//.test(source)),
      [],
      path,
    )
  }
})

suite('without the packages that its types need', () => {
  before(() => {
    const modules = join(project, 'node_modules')
    for (const name of forTypes) renameSync(join(modules, name), join(modules, `${name}.away`))
  })
  test('its command runs from the project of a user', () => {
    const sluice = join(project, 'node_modules/.bin/sluice')
    assert.ok(run(sluice, ['--version'], project).includes(manifest.version))
    const sample = packed.files.find(({ path }) => /^samples\/.*\.ndjson$/.test(path))?.path
    assert.ok(sample !== undefined, 'no sample (samples/*.ndjson) is packed')
    const said = run(sluice, ['detect', join(installed, sample)], project)
    const dialects = readdirSync(join(root, 'src/dialects'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    assert.ok(
      dialects.some(({ name }) => said.includes(name)),
      `detect names no dialect: ${said}`,
    )
  })

  test('every entry of its exports can be imported', () => {
    const entries = Object.keys(manifest.exports ?? {}).filter((entry) => !entry.endsWith('.json'))
    const names = new Set(entries.filter((entry) => !entry.includes('*')).map((entry) => `sluice${entry.slice(1)}`))
    for (const name of ['sluice', 'sluice/dialects/appctl', ...names]) {
      const code = `console.log(Object.keys(await import(${JSON.stringify(name)})).length)`
      const count = Number(run(process.execPath, ['--input-type=module', '-e', code], project))
      assert.ok(count > 0, `${name} exports nothing`)
    }
  })
})

test('links in its pages lead to files that are packed, or to the web', () => {
  const paths = new Set(packed.files.map(({ path }) => path))
  const isThere = (target: string): boolean =>
    paths.has(target) || [...paths].some((path) => path.startsWith(`${target.replace(/\/$/, '')}/`))
  for (const page of [...paths].filter((path) => path.endsWith('.md')))
    for (const [, target = ''] of readFileSync(join(installed, page), 'utf8')
      .replaceAll(/```[^]*?```/g, '')
      .matchAll(/\]\(([^)\s#]+)[^)]*\)/g))
      if (!/^https?:/.test(target)) assert.ok(isThere(join(dirname(page), target)), `${page} links to ${target}, which is not packed`)
})

test('its manual page is where npm looks for it, names every command, and is without faults', () => {
  assert.ok(Array.isArray(manifest.man), 'npm 11 links no manual page that is given as a string')
  const page = join(installed, manifest.man[0]!)
  const text = readFileSync(page, 'utf8')
  for (const [, name] of run(join(project, 'node_modules/.bin/sluice'), ['--help'], project).matchAll(/^ {2}(\w+) {2,}/gm))
    assert.match(text, new RegExp(`^\\.SS sluice ${name}\\b`, 'm'))
  needDebian({ mandoc: 'mandoc', man: 'man-db', groff: 'groff' })
  assert.equal(run('mandoc', ['-Tlint', '-Wwarning', page], project), '')
  const { stdout, stderr } = spawnSync('man', ['--warnings', '-l', page], {
    env: { ...env, LC_ALL: 'C.UTF-8', MANWIDTH: '80' },
    encoding: 'utf8',
  })
  assert.equal(stderr, '')
  assert.match(stdout, /\n +--max-cost USD\n/)
})

suite('on a Node that is too old', () => {
  const isOld = (file: string): boolean => {
    const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' })
    return status === 0 && Number(/^v(\d+)/.exec(stdout)?.[1]) < 24
  }
  const old = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file) && isOld(file))
  const skip = old === undefined && 'no Node older than 24 on PATH'

  test('each entry of the library throws a clear error', { skip }, async () => {
    const entries = Object.keys(manifest.exports).filter((entry) => !/[*]|json$/.test(entry))
    const dialects = Object.keys((await import('sluice')).dialects).map((dialect) => `./dialects/${dialect}`)
    for (const entry of [...entries, ...dialects]) {
      const code = `import(${JSON.stringify(`sluice${entry.slice(1)}`)}).then(() => console.log('no error'), ({ message }) => console.log(message))`
      const { stdout, stderr } = spawnSync(old!, ['--input-type=module', '-e', code], { cwd: project, encoding: 'utf8' })
      assert.match(stdout + stderr, /^sluice needs Node 24 or newer; this is v\d[\d.]*\. Install it from .*"npx node"\n$/, entry)
    }
    const { stderr } = spawnSync(old!, ['--input-type=module', '-e', `import 'sluice'`], { cwd: project, encoding: 'utf8' })
    assert.match(stderr, /^Error: sluice needs Node 24/m)
    assert.ok(stderr.length < 2000, `Node prints ${stderr.length} characters, with the line that throws`)
  })

  test('the command says what to do in one line', { skip }, () => {
    const path = [dirname(old!), '/usr/bin', '/bin'].join(delimiter)
    const { status, stdout, stderr } = spawnSync(join(project, 'node_modules/.bin/sluice'), ['--version'], {
      env: { PATH: path },
      encoding: 'utf8',
    })
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^sluice needs Node 24 or newer; this is v\S+\. Install it from .*npm install node@24\n$/)
  })
})

test('npm warns of no engine when it installs a checkout on the Node of the launcher', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; engines?: unknown }>
  }
  assert.deepEqual([manifest.engines, packages['']!.engines], [{ node: '>=20' }, { node: '>=20' }])
  const told = Object.entries(packages).filter(([, { dev, engines }]) => dev === true && engines !== undefined)
  assert.deepEqual(
    told.map(([path]) => path),
    [],
    'run node scripts/complete-lock.ts',
  )
})

test('publint finds nothing wrong', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, level: 'warning', strict: true })
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg, { color: false })),
    [],
  )
})
