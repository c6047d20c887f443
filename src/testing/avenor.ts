// Legal Avenor logs, after its event document: single runs, tried again now and then, and loops of phases with retries.
import type { Rec } from '../base/json.ts'
import { createAvenorSessions } from './avenor-session.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import { clockOf, textOf } from './words.ts'

export function avenorRun(random: Random, plan: Plan): Rec[] {
  const now = clockOf(random)
  const records: Rec[] = []
  const run: Rec = random.chance(0.6) ? { run_id: random.hex(16), ...(random.chance(0.3) ? { run_label: textOf(random) } : {}) } : {}
  const runId: Rec = run['run_id'] === undefined ? {} : { run_id: run['run_id'] }
  const session = createAvenorSessions(random, plan, now, run, runId, records)

  function loop(): void {
    const maxIterations = random.int(1, 2)
    const pre = random.some(0, 1, () => 'build')
    const phases = random.some(1, 2, (index) => ['code_review', 'fix ü'][index]!)
    const put = (name: string, fields: Rec): void => void records.push({ event: name, ...runId, ...fields, ts: now() })
    put('avenor.loop.start', { max_iterations: maxIterations, pre_phase_count: pre.length, loop_phase_count: phases.length })
    const planned = [
      ...pre.map((phase) => ({ phase, iteration: 0, kind: 'pre' })),
      ...Array.from({ length: maxIterations }, (_, index) => phases.map((phase) => ({ phase, iteration: index + 1, kind: 'loop' }))).flat(),
    ]
    let exit: string = 'max_iterations'
    let label: Rec = {}
    let completed = 0
    for (const { phase, iteration, kind } of planned) {
      put('avenor.phase.start', { phase, iteration, kind })
      let stop = session(`ses_${random.hex(8)}`)
      for (let attempt = 1; stop === 'error' && attempt <= 2; attempt++) {
        put('avenor.retry', { attempt, max_retries: 2 })
        stop = session(`ses_${random.hex(8)}`)
      }
      const marker = random.chance(0.2) ? random.pick(['exit', 'abort']) : undefined
      const markerLabel = random.chance(0.5) ? textOf(random) : undefined
      const marked =
        marker === undefined
          ? {}
          : { [`${marker}_marker`]: true, ...(markerLabel === undefined ? {} : { [`${marker}_marker_label`]: markerLabel }) }
      put('avenor.phase.end', { phase, iteration, stop_reason: stop, ...marked })
      if (marker === 'abort' || (marker === 'exit' && kind === 'loop')) {
        exit = marker
        label = markerLabel === undefined ? {} : { exit_label: markerLabel }
        break
      }
      if (stop !== 'end_turn') {
        exit = stop === 'timeout' || stop === 'cancelled' ? stop : 'phase_failure'
        break
      }
      if (kind === 'loop' && phase === phases.at(-1)) completed = iteration
    }
    put('avenor.loop.end', { exit_reason: exit, ...label, iterations_completed: completed })
  }

  if (random.chance(0.35)) loop()
  else {
    const id = `ses_${random.hex(8)}`
    const stop = session(id)
    // A single run tries again in the same session.
    if (stop === 'error' && random.chance(0.6)) {
      records.push({ event: 'avenor.retry', session_id: id, ...run, attempt: 1, max_retries: 1, ts: now() })
      session(id)
    }
  }
  return records
}
