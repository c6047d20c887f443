// A skill is loaded after its permission check has passed. What the program does against its document is a warning.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { known } from './order-fields.ts'
import type { Session } from './order-session.ts'
import type { Wire } from './wire.ts'

/** Skills are told by name alone: a load belongs to the check next to it, a rejection holds until the skill tool has ended. */
export function judgeSkill(session: Session, tag: string, record: Rec, warn: (text: string) => void): void {
  if (tag === 'skill_loaded') {
    const { name } = record as Wire<'skill_loaded'>
    if (session.deniedSkills.has(name)) warn(`skill_loaded of ${quoted(name)}, which was rejected${known('loads before it asks')}`)
    session.loadedSkills.add(name)
    return
  }
  const { permission, patterns } = record as Wire<'permission_rejected'>
  if (permission !== 'skill') return session.loadedSkills.clear()
  for (const name of patterns) {
    if (tag === 'permission_granted') session.deniedSkills.delete(name)
    else {
      if (session.loadedSkills.has(name))
        warn(`skill_loaded of ${quoted(name)} before its permission was rejected${known('loads before it asks')}`)
      session.deniedSkills.add(name)
    }
  }
}
