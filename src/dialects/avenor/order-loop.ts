// The order of runs: loop.start, phases one after another, loop.end, and nothing of the run after that; retries on the side.
import { doubleOf, type Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { textOf } from '../contract.ts'
import type { Breaks } from './order.ts'
import type { AnyWire, Wire } from './wire.ts'

type Phase = { phase: string; iteration: number }
/** `last`: the phase that ended last. */
type Run = {
  started: boolean
  phase: Phase | undefined
  last: Phase | undefined
  /** The most iterations that there may be, and the last one that began. */
  most: number | undefined
  begun: number
  ended: boolean
  strayed: boolean
}
const createRun = (started: boolean, most?: number): Run => ({
  started,
  phase: undefined,
  last: undefined,
  most,
  begun: 0,
  ended: false,
  strayed: false,
})

const mostPast = 4096

export function createLoopOrder() {
  const runs = new Map<string | undefined, Run>()
  const retries = new Map<string | undefined, number>()
  let past = 0 // runs that are over

  function runOf(id: string | undefined): Run {
    let run = runs.get(id)
    if (run === undefined) runs.set(id, (run = createRun(false)))
    return run
  }

  function start({ run_id: id, max_iterations: most }: Wire<'avenor.loop.start'>, breaks: Breaks): void {
    const run = runs.get(id)
    if (run !== undefined && !run.ended)
      breaks('loop-first', run.started ? `a second avenor.loop.start${ofRun(id)}` : `avenor.loop.start after the first phase${ofRun(id)}`)
    if (run?.ended === true) past--
    runs.set(id, createRun(true, most || undefined)) // 0 stands for the default
  }

  function startPhase({ run_id: id, phase, iteration }: Wire<'avenor.phase.start'>, breaks: Breaks): void {
    const run = loop(id, 'avenor.phase.start', breaks)
    if (run === undefined) return
    if (run.phase !== undefined) breaks('phase-pairs', `phase ${named({ phase, iteration })} starts inside phase ${named(run.phase)}`)
    if (run.most !== undefined && (doubleOf(iteration) ?? 0) > run.most)
      breaks('loop-count', `iteration ${textOf(iteration)} of a loop with max_iterations ${run.most}`)
    run.begun = Math.max(run.begun, doubleOf(iteration) ?? 0)
    run.phase = { phase, iteration }
    if (id === undefined) retries.clear()
    else retries.delete(id) // other runs may be interleaved
  }

  function endPhase(record: Wire<'avenor.phase.end'>, breaks: Breaks): void {
    const { run_id: id, phase, iteration } = record
    const run = loop(id, 'avenor.phase.end', breaks)
    if (run === undefined) return
    const open = run.phase
    if (open === undefined) breaks('phase-pairs', `phase ${named({ phase, iteration })} ends and was not started`)
    else if (open.phase !== phase || open.iteration !== iteration)
      breaks('phase-pairs', `phase ${named({ phase, iteration })} ends inside phase ${named(open)}`)
    run.phase = undefined
    run.last = { phase, iteration }
    run.begun = Math.max(run.begun, doubleOf(iteration) ?? 0)
    for (const marker of ['abort', 'exit'] as const)
      if (record[`${marker}_marker_label`] !== undefined && record[`${marker}_marker`] !== true)
        breaks('loop-marker', `${marker}_marker_label without ${marker}_marker`)
  }

  function end(record: Wire<'avenor.loop.end'>, breaks: Breaks): void {
    const { run_id: id, exit_reason: reason, exit_label: label, iterations_completed: completed = 0 } = record
    const run = loop(id, 'avenor.loop.end', breaks)
    if (run === undefined) return
    if (run.phase !== undefined) breaks('phase-pairs', `the loop ends inside phase ${named(run.phase)}`)
    if (completed > run.begun) breaks('loop-count', `iterations_completed is ${completed}, the last iteration that began ${run.begun}`)
    if (label !== undefined && reason !== 'exit' && reason !== 'abort' && reason !== 'marker')
      breaks('loop-marker', `exit_label with exit_reason ${quoted(reason)}`)
    run.phase = undefined
    run.ended = true
    if (++past > mostPast) for (const [old, { ended }] of runs) if (ended && runs.delete(old)) return void past--
  }

  /** The run that a loop's event belongs to; undefined when it is over. A missing start is said once. */
  function loop(id: string | undefined, tag: string, breaks: Breaks): Run | undefined {
    const run = runOf(id)
    if (run.ended) {
      stray(run, id, tag, breaks)
      return undefined
    }
    if (!run.started) breaks('loop-first', `${tag} before avenor.loop.start${ofRun(id)}`)
    run.started = true
    return run
  }

  function stray(run: Run, id: string | undefined, tag: string, breaks: Breaks): void {
    if (!run.strayed) breaks('loop-last', `${tag} after avenor.loop.end${ofRun(id)}`)
    run.strayed = true
  }

  function retry({ run_id, session_id, attempt, max_retries: most }: Wire<'avenor.retry'>, breaks: Breaks): void {
    const key = run_id ?? session_id
    const before = retries.get(key) ?? 0
    retries.set(key, attempt)
    if (attempt === 0 || (most !== undefined && attempt > most))
      return breaks('retry-count', `attempt ${attempt}${most === undefined ? '' : ` of ${most}`}`)
    // One version of the program counts a single run's first retry as 2.
    const mayBeginAgain = runs.get(run_id)?.phase === undefined // a phase counts its own
    if (attempt !== before + 1 && !(attempt === 1 && mayBeginAgain))
      breaks('retry-count', `attempt ${attempt} after ${before === 0 ? 'none' : before}`, before === 0 && attempt === 2 ? 'warn' : 'error')
  }

  return {
    /** Whether a run is over at all, so that something of it may come too late. */
    anyOver: (): boolean => past > 0,
    /** True when the record is a loop's own and says nothing about a session. */
    push(record: AnyWire, breaks: Breaks): boolean {
      switch (record.event) {
        case 'avenor.loop.start':
          start(record, breaks)
          return true
        case 'avenor.phase.start':
          startPhase(record, breaks)
          return true
        case 'avenor.phase.end':
          endPhase(record, breaks)
          return true
        case 'avenor.loop.end':
          end(record, breaks)
          return true
        case 'avenor.retry':
          retry(record, breaks)
      }
      if (past > 0 && record.run_id !== undefined) {
        const run = runs.get(record.run_id)
        if (run?.ended === true) stray(run, record.run_id, record.event, breaks)
      }
      return record.event === 'avenor.retry'
    },
    end(breaks: Breaks): void {
      for (const [id, { ended, phase }] of runs)
        if (!ended) breaks('missing-end', `no avenor.loop.end${ofRun(id)}${phase === undefined ? '' : `, inside phase ${named(phase)}`}`)
    },
    missing(next: AnyWire | undefined, ts?: number): Rec[] {
      if (next === undefined) {
        return [...runs]
          .filter(([, { ended }]) => !ended)
          .flatMap(([run_id, { phase }]) => [
            ...(phase === undefined ? [] : [{ event: 'avenor.phase.end', run_id, ...phase, ts }]),
            { event: 'avenor.loop.end', run_id, exit_reason: 'phase_failure', ts },
          ])
      }
      const { event, run_id } = next
      if (event !== 'avenor.phase.start' && event !== 'avenor.phase.end' && event !== 'avenor.loop.end') return []
      const run = runs.get(run_id)
      const first = run === undefined ? [{ event: 'avenor.loop.start', run_id, ts: next.ts }] : []
      if (event === 'avenor.phase.end') return [...first, ...phaseStart(run, next)]
      return run?.phase === undefined || run.ended ? first : [{ event: 'avenor.phase.end', run_id, ...run.phase, ts: next.ts }]
    },
  }
}

/** Of a phase that has no start; an end that comes again lacks nothing. */
function phaseStart(run: Run | undefined, { run_id, phase, iteration, ts }: Wire<'avenor.phase.end'>): Rec[] {
  const isAgain = run?.last?.phase === phase && run.last.iteration === iteration
  if (run?.phase !== undefined || run?.ended === true || isAgain) return []
  return [{ event: 'avenor.phase.start', run_id, phase, iteration, kind: iteration === 0 ? 'pre' : 'loop', ts }]
}

const ofRun = (id: string | undefined): string => (id === undefined ? '' : ` of run ${quoted(id)}`)
const named = ({ phase, iteration }: Phase): string => `${quoted(phase)} (iteration ${textOf(iteration)})`
