// The one session that --session asks for: whether it came, and which did instead. Nothing shown may mean a mistyped name.
import { quoted } from '../base/text.ts'
import { say } from './exit.ts'

/** Names that are told. */
const most = 5

export type SessionsSeen = ReturnType<typeof createSessionsSeen>

export function createSessionsSeen(wanted: string | undefined) {
  const others = new Set<string>()
  let came = wanted === undefined

  return {
    see(session: string | undefined): void {
      if (came || session === undefined || session === '') return
      if (session === wanted) came = true
      else if (others.size <= most) others.add(session)
    },
    /** To be called when all has been read. */
    tell(): void {
      if (came) return
      const named = [...others].slice(0, most).map((session) => quoted(session))
      const instead = named.length === 0 ? 'none was named' : `there were ${named.join(', ')}${others.size > most ? ' and others' : ''}`
      say(`sluice: no session ${quoted(wanted)} came; ${instead}`)
    },
  }
}
