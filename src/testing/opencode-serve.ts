// What an opencode server tells of one session and its children, in the order of the recordings.
import type { Rec } from '../base/json.ts'
import { quiet } from '../dialects/opencode/quiet.ts'
import { createTurns, type Telling } from './opencode-turn.ts'
import { errorOf, idOf, tokensOf } from './opencode-parts.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import { clockOf, models, objectOf, textOf } from './words.ts'

export function serverSession(random: Random, plan: Plan): Rec[] {
  const now = clockOf(random)
  const records: Rec[] = []
  const put = (type: string, properties: Rec): void => void records.push({ id: idOf('evt', now(), random), type, properties })
  const telling: Telling = { random, plan, now, put, info, updated }
  const session = idOf('ses', now(), random)
  const turns = createTurns(telling)

  function info(id: string, parentID?: string): Rec {
    const time = { created: now(), updated: now() }
    const child =
      parentID === undefined ? {} : { parentID, agent: 'general', permission: [{ permission: 'task', pattern: '*', action: 'deny' }] }
    return {
      id,
      slug: 'happy-meadow',
      version: '1.18.33',
      projectID: 'global',
      directory: '/home/dev/a b',
      title: textOf(random),
      time,
      ...child,
    }
  }

  function updated(id: string, parentID?: string): void {
    const model = { id: random.pick(models), providerID: 'mock', variant: 'default' }
    const told = { ...info(id, parentID), agent: 'build', model, cost: random.int(0, 1e6) / 1e9, tokens: tokensOf(random) }
    put('session.updated', { sessionID: id, info: told })
  }

  function aside(): void {
    if (!plan.extras) return
    for (let count = random.int(0, 4); count > 0; count--) put(random.pick(quiet), random.chance(0.3) ? {} : objectOf(random, 1))
    if (random.chance(0.2)) put('tui.toast.show', { message: textOf(random), variant: random.pick(['info', 'warning', 'error']) })
    if (random.chance(0.1)) put(random.pick(['worktree.failed', 'workspace.failed']), { message: textOf(random) })
    if (random.chance(0.1)) put('session.error', { error: errorOf(random) })
    if (random.chance(0.2)) put('file.edited', { file: '/home/dev/a b/ü.txt' })
    if (random.chance(0.2)) put('file.watcher.updated', { file: 'a.txt', event: random.pick(['add', 'change', 'unlink']) })
  }

  aside()
  if (random.chance(0.9)) put('session.created', { sessionID: session, info: info(session) })
  updated(session)
  for (let turn = 0; turn < plan.turns; turn++) {
    aside()
    turns.play(session)
  }
  aside()
  if (plan.extras && random.chance(0.2)) put('session.deleted', { sessionID: session, info: info(session) })
  return records
}
