// Legal streams of Codex, after its recordings and its own declarations: stdout of exec, messages of the app-server (the agent's
// alone, or both sides as recorded traffic), or a rollout file.
import type { Rec } from '../base/json.ts'
import { codexExec } from './codex-exec.ts'
import { codexRollout } from './codex-rollout.ts'
import { codexServer } from './codex-server.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'

export function codexSession(random: Random, plan: Plan): Rec[] {
  const dice = random.next()
  return dice < 0.3 ? codexExec(random, plan) : dice < 0.75 ? codexServer(random, plan) : codexRollout(random, plan)
}
