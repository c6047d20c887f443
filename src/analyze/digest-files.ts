// The files of one session. A file may go by many names: relative, absolute, with detours. Two names are one file only where that is
// certain: the source tells which directory a relative one is of. It is listed under the name that came first.
import type { SessionDigest } from './digest-shape.ts'
import { ownCopy } from './excerpt.ts'

const mostFiles = 500
const mostOtherFiles = 4500
const mostLanes = 1024

type FileDigest = SessionDigest['files']['items'][number] & { told: number }

export function createFiles() {
  const files = new Map<string, FileDigest>()
  const others = new Map<string, boolean>() // files that are not listed, and whether they were changed
  const lanes = new Map<string, string>() // subagents that work elsewhere
  let home: string | undefined // where the session works
  let areMore = false // than are known apart

  function touchOther(key: string, isChange: boolean): void {
    const before = others.get(key)
    if (before === undefined && others.size >= mostOtherFiles) areMore = true
    else if (before === undefined) others.set(ownCopy(key), isChange)
    else if (isChange && !before) others.set(key, true)
  }

  /** Names that came before their directory was known are of that directory. */
  function settle(): void {
    const [listed, unlisted] = [[...files], [...others]]
    files.clear()
    others.clear()
    for (const [before, file] of listed) {
      const key = keyOf(before, home)
      const same = files.get(key)
      if (same === undefined) files.set(key, file)
      else for (const how of ['read', 'changed', 'told'] as const) same[how] += file[how]
    }
    for (const [before, isChange] of unlisted) {
      const key = keyOf(before, home)
      const same = files.get(key)
      if (same === undefined) touchOther(key, isChange)
      else if (isChange) same.told++
    }
  }

  return {
    /** `agent` works in this directory from now on. */
    enter(directory: string, agent: string | undefined): void {
      if (agent !== undefined) {
        if (lanes.size < mostLanes) lanes.set(agent, directory)
        return
      }
      const isFirst = home === undefined
      home = directory
      if (isFirst) settle()
    },
    /** `directory`: where the call ran, if it tells. */
    touch(path: string, how: 'read' | 'changed' | 'told', agent: string | undefined, directory: string | undefined): void {
      const own = (agent === undefined ? undefined : lanes.get(agent)) ?? home
      const key = keyOf(path, directory === undefined ? own : keyOf(directory, own))
      let file = files.get(key)
      if (file === undefined) {
        if (files.size >= mostFiles) return touchOther(key, how !== 'read')
        files.set(ownCopy(key), (file = { path: ownCopy(path), read: 0, changed: 0, told: 0 }))
      }
      file[how]++
    },
    list(): SessionDigest['files'] {
      const items = [...files.values()]
        .map(({ told, ...file }) => ({ ...file, changed: file.changed || told }))
        .toSorted((a, b) => Number(b.changed > 0) - Number(a.changed > 0))
      let changed = items.filter((file) => file.changed > 0).length
      for (const isChange of others.values()) if (isChange) changed++
      return { items, more: others.size, changed, ...(areMore && { atLeast: true }) }
    },
  }
}

/** What the path names, as far as it can be told; tools that take paths follow no link on the way of a `..` either. */
function keyOf(path: string, directory: string | undefined): string {
  if (elsewhere.test(path)) return path
  const whole = directory === undefined || path.startsWith('/') ? path : `${directory}/${path}`
  return detour.test(whole) ? straight(whole) : whole
}

const elsewhere = /^~|^[a-z][\w+.-]*:/i // somebody's home, an address, a drive of Windows: what they mean is not ours to say
const detour = /\/\/|(?:^|\/)\.\.?(?:\/|$)|.\/$/

function straight(path: string): string {
  const root = path.startsWith('/') ? '/' : ''
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (root === '') parts.push(part)
  }
  return `${root}${parts.join('/')}` || '.'
}
