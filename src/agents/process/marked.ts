// Processes that have left their group (setsid) still carry what they were started with: a mark in their environment tells whose they
// are. Only Linux shows it; elsewhere the group is all there is.
import { readdirSync, readFileSync } from 'node:fs'

export const markName = 'AGENT_RUN_MARK'

/** Those that live and carry the mark, as far as we may look. */
export function markedPids(mark: string): number[] {
  if (process.platform !== 'linux') return []
  const entry = `${markName}=${mark}\0`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(entry))
    .map(Number)
}

/** Empty of the dead, of the system's own, and of other people's. */
function environmentOf(pid: string): Buffer | '' {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return ''
  }
}
