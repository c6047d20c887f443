// npm run test:places: `npm test` in copies of this checkout that lie where a checkout may lie. Each copy is in a folder that only its
// owner may enter, below spaces and letters outside ASCII, with a home and a temporary folder of its own in which another user has
// left things. As root it tests twice, as root and as an ordinary user; without root only as the user who starts it.
//   node scripts/places.ts [--as root|user] [--umask 077] [TEST FILE ...]    the named test files only, after a build
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

type User = { name: string; uid: number; gid: number }
const users: readonly User[] = [
  { name: 'root', uid: 0, gid: 0 },
  { name: 'user', uid: 65_534, gid: 65_534 }, // nobody
]
const stranger = 4711

const source = dirname(import.meta.dirname)
const isRoot = process.getuid!() === 0
const { values: options, positionals: files } = parseArgs({
  options: { as: { type: 'string' }, umask: { type: 'string', default: '022' } },
  allowPositionals: true,
})

const here: User = { name: 'user', uid: process.getuid!(), gid: process.getgid!() }
const chosen = (isRoot ? users : [here]).filter(({ name }) => options.as === undefined || options.as === name)
if (chosen.length === 0) fail(`nobody to test as: "${options.as}" is neither root nor user, or only root can be it`)
if (!isRoot) say('not root: tests run as this user only, and no other user has left anything')
const failed = chosen.filter((user) => !passes(user)).map(({ name }) => name)
if (failed.length > 0) fail(`failed as ${failed.join(' and ')}`)
say(`passed as ${chosen.map(({ name }) => name).join(' and ')}`)

function passes(user: User): boolean {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-places-')) // 0700
  try {
    const place = makePlace(top, user)
    say(`as ${user.name} in "${place.checkout}"`)
    return commands().every(([command, ...args]) => {
      const shell = ['-c', 'umask "$1" && shift && exec "$@"', 'sh', options.umask, command!, ...args]
      const ran = spawnSync('/bin/sh', shell, { cwd: place.checkout, env: place.env, uid: user.uid, gid: user.gid, stdio: 'inherit' })
      if (ran.error !== undefined) throw ran.error
      return ran.status === 0
    })
  } finally {
    rmSync(top, { recursive: true, force: true, maxRetries: 10 })
  }
}

function commands(): string[][] {
  if (files.length === 0) return [['npm', 'test']]
  return [
    ['npm', 'run', 'build'],
    ['npm', 'exec', '--', 'node', '--test', '--test-concurrency=2', ...files],
  ]
}

/** The packages are copied, not linked: a link leads out of the private folder, and Node resolves it. */
function makePlace(top: string, user: User): { checkout: string; env: Record<string, string> } {
  const [checkout, home] = ['sluice', 'home'].map((name) => join(top, 'Ein Ordner für 測試', name))
  const temporary = join(top, 't ü') // short: sockets lie below it, and their paths have 107 bytes at most
  for (const folder of [checkout!, home!, temporary]) mkdirSync(folder, { recursive: true })
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: source, encoding: 'utf8' })
  for (const path of listed.split('\0')) if (path !== '' && path !== 'node_modules') copy(path, checkout!)
  cpSync(realpathSync(join(source, 'node_modules')), join(checkout!, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  execFileSync('git', ['init', '-q'], { cwd: checkout! })
  if (isRoot) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, '--', top])
  chmodSync(temporary, 0o1777)
  if (isRoot) leaveBehind(temporary, user)
  // Only what everybody may enter: a folder of root's own on PATH makes a program that is not there one that is refused.
  const path = [join(checkout!, 'node_modules/.bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
  const env = { PATH: path, HOME: home!, TMPDIR: temporary, LANG: 'C.UTF-8' }
  return { checkout: checkout!, env }
}

function copy(path: string, to: string): void {
  cpSync(join(source, path), join(to, path), { verbatimSymlinks: true })
}

/** What runs and tests of another user leave, and what this user's own names would be, taken by that user. */
function leaveBehind(temporary: string, { uid }: User): void {
  for (const name of ['node-compile-cache', ...[stranger, uid].flatMap((id) => [`sluice-${id}`, `sluice-emit-${id}`, `tmux-${id}`])])
    give(join(temporary, name), (path) => mkdirSync(path, { mode: 0o700 }))
  give(join(temporary, 'sluice-apt-get.lock'), (path) => writeFileSync(path, '', { mode: 0o600 }))
}

function give(path: string, make: (path: string) => void): void {
  make(path)
  chownSync(path, stranger, stranger)
}

function say(text: string): void {
  process.stderr.write(`test:places: ${text}\n`)
}

function fail(text: string): never {
  say(text)
  process.exit(1)
}
