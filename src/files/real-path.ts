// Where a path leads, as far as it exists: links are followed, also one whose target is missing; what is missing is kept. What lies in
// /proc is another thing for each process that looks, so it is not followed: whoever reads such a path must take it for anywhere.
import { lstatSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'

const mostHops = 40 // as the system has it

/** `path`: absolute. */
export function realPath(path: string): string {
  const rest = segmentsOf(path)
  let at = ''
  for (let hops = 0; rest.length > 0;) {
    const segment = rest.pop()!
    if (segment === '..') at = dirname(at === '' ? '/' : at).replace(/^\/$/, '')
    else {
      const here = `${at}/${segment}`
      if (here === '/proc' && rest.length > 0) return [here, ...rest.reverse()].join('/')
      const target = hops < mostHops ? linkTarget(here) : undefined
      if (target === undefined) at = here
      else {
        hops++
        if (target.startsWith('/')) at = ''
        rest.push(...segmentsOf(target))
      }
    }
  }
  return at === '' ? '/' : at
}

/** The last one first. */
const segmentsOf = (path: string): string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .reverse()

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined
  } catch {
    return undefined // it may not be looked at
  }
}
