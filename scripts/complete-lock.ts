// After npm install: lists in the lock file of a folder (this project's own, without an argument) the optional packages for other
// platforms that the registry at hand did not show. Without them `npm ci` takes the lock file for outdated; with them each platform
// installs its own. What each package for development says of Node is left out: the Node 24 that comes along runs them, and npm would warn
// of the Node that it runs on itself.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Entry = { version?: string; optionalDependencies?: Record<string, string>; [key: string]: unknown }

const file = join(process.argv[2] ?? join(import.meta.dirname, '..'), 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }
const systems = ['darwin', 'linux', 'win32', 'freebsd', 'android', 'openharmony']

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (lock.packages[`node_modules/${name}`] !== undefined || lock.packages[`${path}/node_modules/${name}`] !== undefined) continue
    const words = name.split('/').at(-1)!.split('-')
    const system = systems.find((word) => words.includes(word))
    const platform = system === undefined ? { cpu: ['wasm32'] } : { os: [system], cpu: [words[words.indexOf(system) + 1]!] }
    lock.packages[`node_modules/${name}`] = { version, ...(entry['dev'] === true && { dev: true }), optional: true, ...platform }
  }
}
if (process.argv[2] === undefined) for (const entry of Object.values(lock.packages)) if (entry['dev'] === true) delete entry['engines']
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
