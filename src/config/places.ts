// Where things are: the user's folders, and the project around the working folder.
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { homeOf } from '../files/home.ts'

export type Places = {
  /** Absolute, links resolved. */
  cwd: string
  /** The project: the nearest folder at or above cwd with `.git`, else the nearest with settings, else cwd. */
  root: string
  home: string
  /** `~/.config/sluice`: the user's settings. */
  configFolder: string
  /** `~/.local/state/sluice`: what is trusted. */
  stateFolder: string
}

export const settingsNames = ['sluice.jsonc', 'sluice.json', 'sluice.yaml', 'sluice.yml'] as const

export function placesOf(cwd: string, env: NodeJS.ProcessEnv = process.env): Places {
  const home = realOr(homeOf(env))
  const folder = (name: string, usual: string): string => {
    const named = env[name]
    return join(named !== undefined && isAbsolute(named) ? named : join(home, usual), 'sluice')
  }
  const real = realpathSync(cwd)
  return {
    cwd: real,
    root: rootOf(real, home),
    home,
    configFolder: folder('XDG_CONFIG_HOME', '.config'),
    stateFolder: folder('XDG_STATE_HOME', '.local/state'),
  }
}

/**
 * Above cwd a mark must belong to us or to the owner of cwd: else anybody could make `/tmp` a project. The home folder is no
 * project unless one works in it: everything in it would count as inside.
 */
function rootOf(cwd: string, home: string): string {
  const owners = [process.getuid?.(), statSync(cwd).uid]
  let configured: string | undefined
  for (let folder = cwd; folder === cwd || folder !== home; folder = dirname(folder)) {
    const has = (name: string): boolean => {
      const mark = lstatSync(join(folder, name), { throwIfNoEntry: false })
      return mark !== undefined && (folder === cwd || owners.includes(mark.uid))
    }
    if (has('.git') && (folder === cwd || isRepository(join(folder, '.git')))) return folder
    if (settingsNames.some(has)) configured ??= folder
    if (folder === dirname(folder)) break
  }
  return configured ?? cwd
}

/** Sandboxes of other agents leave empty folders of this name behind. In a worktree it is a file. */
const isRepository = (git: string): boolean =>
  lstatSync(git).isFile() || lstatSync(join(git, 'HEAD'), { throwIfNoEntry: false }) !== undefined

/** The folders from the root down to cwd. */
export function foldersBetween(root: string, cwd: string): string[] {
  const folders = [cwd]
  while (folders[0] !== root && folders[0] !== dirname(folders[0]!)) folders.unshift(dirname(folders[0]!))
  return folders[0] === root ? folders : [cwd]
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way))
}

/** `~/a` for people. */
export const shortPath = (path: string, home: string): string =>
  path !== home && isInside(path, home) ? `~/${relative(home, path)}` : path

function realOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
