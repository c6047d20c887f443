// A home folder and a project in a temporary place, for tests of what is found in them. Gone when the test is over.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { placesOf, type Places } from '../src/config/places.ts'

export type Project = {
  top: string
  home: string
  root: string
  env: Record<string, string>
  places(cwd?: string): Places
  /** `~/a` lies in the home folder, `a` in the project. */
  path(name: string): string
  write(name: string, text: string): string
  [Symbol.dispose](): void
}

/** The project has a `.git`. */
export function createProject(files: Record<string, string> = {}): Project {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-project-')))
  const [home, root] = [join(top, 'home'), join(top, 'project')]
  mkdirSync(home)
  mkdirSync(join(root, '.git'), { recursive: true })
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n')
  const path = (name: string): string => (name.startsWith('~/') ? join(home, name.slice(2)) : join(root, name))
  const write = (name: string, text: string): string => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), text)
    return path(name)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const env = { HOME: home, PATH: '/usr/bin:/bin' }
  const places = (cwd = '.'): Places => placesOf(path(cwd), env)
  const remove = (): void => rmSync(top, { recursive: true, force: true, maxRetries: 10 }) // a chat that was just closed writes its end
  return { top, home, root, env, places, path, write, [Symbol.dispose]: remove }
}
