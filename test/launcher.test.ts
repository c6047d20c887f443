// bin/sluice: how it finds its package and its Node, and that it becomes Node instead of standing before it. Most tests run a
// copy beside a small program in place of dist/cli.js; the last ones need the built one.
import assert from 'node:assert/strict'
import { spawn, spawnSync, type SpawnSyncOptions } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(new URL('../bin/sluice', import.meta.url))
const built = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sluice launcher ')))
after(() => rmSync(scratch, { recursive: true, force: true }))

const probe = `
const [mode, ...rest] = process.argv.slice(2)
if (mode === 'read') rest.push(require('node:fs').readFileSync(0, 'utf8'))
console.log(JSON.stringify({ pid: process.pid, parent: process.ppid, file: process.argv[1], mode, rest }))
if (mode === 'exit') process.exit(Number(rest[0]))
if (mode === 'stay') setInterval(() => {}, 1000)
`

/** A package with a space in its path: the launcher, the probe as dist/cli.js and, if wanted, this Node as its own. */
function makePackage(name: string, parts: { node?: boolean; dist?: boolean } = {}): string {
  const root = join(scratch, name)
  mkdirSync(join(root, 'bin'), { recursive: true })
  copyFileSync(launcher, join(root, 'bin/sluice'))
  writeFileSync(join(root, 'package.json'), '{ "type": "commonjs" }')
  if (parts.dist !== false) {
    mkdirSync(join(root, 'dist'))
    writeFileSync(join(root, 'dist/cli.js'), probe)
  }
  if (parts.node !== false) {
    mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true })
    symlinkSync(process.execPath, join(root, 'node_modules/node/bin/node'))
  }
  return root
}

function run(command: string, args: string[] = [], options: SpawnSyncOptions = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { env: {}, ...options, encoding: 'utf8' })
  return { status, stderr, said: stdout.startsWith('{') ? JSON.parse(stdout) : stdout }
}

const whole = makePackage('whole package')
const cli = join(whole, 'dist/cli.js')

test('starts through every kind of path, with no environment at all', () => {
  const links = join(scratch, 'links')
  mkdirSync(links)
  symlinkSync('../whole package/bin/sluice', join(links, 'relative'))
  symlinkSync(join(links, 'relative'), join(links, 'absolute'))
  symlinkSync('absolute', join(links, 'chain'))
  symlinkSync('../whole package/bin', join(links, 'folder'))
  symlinkSync('links/folder/sluice', join(scratch, 'through-a-folder'))
  const ways: [string, string?][] = [
    [join(whole, 'bin/sluice')],
    ['./sluice', join(whole, 'bin')],
    ['./relative', links],
    ['links/chain', scratch],
    [join(links, 'absolute')],
    [join(links, 'folder/sluice')],
    [join(scratch, 'through-a-folder')],
  ]
  for (const [path, cwd] of ways)
    for (const env of [{}, { PATH: '' }, { PATH: '/nowhere', CDPATH: scratch }]) {
      const { status, said, stderr } = run(path, ['exit', '0'], { cwd, env })
      assert.equal(status, 0, `${path}: ${stderr}`)
      assert.equal(said.file, cli, path)
    }
  assert.equal(run('/bin/sh', ['sluice', 'exit', '0'], { cwd: join(whole, 'bin') }).said.file, cli)
})

test('hands over arguments, standard input and the exit code untouched', () => {
  const args = ['', 'two words', "it's", '$HOME', '*', 'line\nbreak', '--', '-']
  const { said } = run(join(whole, 'bin/sluice'), ['exit', '0', ...args])
  assert.deepEqual(said.rest, ['0', ...args])
  assert.deepEqual(run(join(whole, 'bin/sluice'), ['read'], { input: 'a\nb' }).said.rest, ['a\nb'])
  for (const code of [0, 1, 2, 42, 124]) assert.equal(run(join(whole, 'bin/sluice'), ['exit', String(code)]).status, code)
})

test('is one process: its pid is Node, SIGTERM ends it and nothing is left', async (context) => {
  const child = spawn(join(whole, 'bin/sluice'), ['stay'], {
    env: {},
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  context.after(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // The group is empty, as it should be.
    }
  })
  const [line] = await once(child.stdout, 'data')
  const said = JSON.parse(String(line))
  assert.equal(said.pid, child.pid)
  assert.equal(said.parent, process.pid)
  const ended = once(child, 'exit')
  process.kill(said.pid, 'SIGTERM')
  assert.deepEqual(await ended, [null, 'SIGTERM'])
  // The child led its own process group: a signal to an empty group is an error.
  assert.throws(() => process.kill(-said.pid, 0), { code: 'ESRCH' })
})

test('without its own Node takes the one on PATH, and says what is missing when there is none', () => {
  const root = makePackage('no node', { node: false })
  const tools = join(scratch, 'tools')
  const empty = join(scratch, 'empty')
  for (const folder of [tools, empty]) mkdirSync(folder)
  symlinkSync(process.execPath, join(tools, 'node'))
  const found = run(join(root, 'bin/sluice'), ['exit', '3'], { env: { PATH: tools } })
  assert.equal(found.status, 3, found.stderr)
  const none = run(join(root, 'bin/sluice'), ['exit', '0'], { env: { PATH: empty } })
  assert.equal(none.status, 127)
  assert.equal(none.said, '')
  assert.match(none.stderr, /^sluice: no Node\.js found: .*no node\/node_modules\/node\/bin\/node.*Node\.js 24 or newer.*npm ci.*\n$/)
  // An empty or relative entry means the current folder; a `node` that lies there is not ours.
  writeFileSync(join(empty, 'node'), '#!/bin/sh\necho stranger\n')
  chmodSync(join(empty, 'node'), 0o755)
  for (const path of ['', '.', ':', '../empty', '::.']) {
    const stranger = run(join(root, 'bin/sluice'), [], { cwd: empty, env: { PATH: path } })
    assert.deepEqual([stranger.status, stranger.said], [127, ''], `PATH=${path}`)
  }
  for (const path of [`.:${tools}`, `:${tools}`, `../empty:${tools}`])
    assert.equal(run(join(root, 'bin/sluice'), ['exit', '3'], { cwd: empty, env: { PATH: path } }).status, 3, `PATH=${path}`)
})

test('takes the package `node` that is installed beside it, ahead of the one on PATH', () => {
  const root = makePackage('project/node_modules/sluice', { node: false })
  mkdirSync(join(root, '../node/bin'), { recursive: true })
  symlinkSync(process.execPath, join(root, '../node/bin/node'))
  const { status, stderr } = run(join(root, 'bin/sluice'), ['exit', '3'])
  assert.equal(status, 3, stderr)
})

test('says how to build when dist/cli.js is missing', () => {
  const root = makePackage('not built', { dist: false })
  const { status, stderr } = run(join(root, 'bin/sluice'))
  assert.equal(status, 127)
  assert.match(stderr, /^sluice: '.*not built\/dist\/cli\.js' is missing; run 'npm run build' in '.*not built'\n$/)
})

const needBuild = (): void => assert.ok(existsSync(built), "dist/cli.js is missing, this test needs it: run 'npm run build' first")

test('the built sluice starts, and its usage error is exit code 2', () => {
  needBuild()
  const version = run(launcher, ['--version'])
  assert.equal(version.status, 0, version.stderr)
  assert.match(String(version.said), /\d+\.\d+\.\d+/)
  const wrong = run(launcher, ['no-such-command'])
  assert.equal(wrong.status, 2, wrong.stderr)
  assert.match(wrong.stderr, /no-such-command/)
})

test('the built sluice says what it needs when an older Node runs it', (context) => {
  needBuild()
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const old = candidates.find((file) => existsSync(file) && Number(/^v(\d+)/.exec(run(file, ['-v']).said)?.[1]) < 24)
  if (old === undefined) return context.skip('no Node older than 24 on PATH')
  const { status, said, stderr } = run(old, [built, '--version'])
  assert.notEqual(status, 0)
  assert.equal(said, '')
  assert.match(stderr, /^sluice needs Node 24 or newer; this is v\S+\. Install it from \S+, or beside sluice with: npm install node@24\n$/)
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack for the user')
})
