// Runs: a loop starts before its phases, phases do not overlap, and the end of the loop is the last record of its run.
import type { Event, EventOf } from '../../model/event.ts'
import { type Sink, syntheticOf } from '../contract.ts'
import { keptIn } from './encode-session.ts'
import type { AnyWire } from './wire.ts'
import { exitReasonOf, stopReasonOf } from './words.ts'

/** Nobody has told how many there are; 0 stands for the default. */
const noCounts = { max_iterations: 0, pre_phase_count: 0, loop_phase_count: 0 }

type Phase = { name: string; iteration: number }
type Run = { label: string | undefined; phase: Phase | undefined; end: EventOf<'run.end'> | undefined }

/** `isBusy`: a session of the run is still open. */
export function createLoops(
  sink: Sink,
  write: (record: AnyWire, synthetic: string | undefined) => void,
  isBusy: (run: string | undefined) => boolean,
) {
  const runs = new Map<string | undefined, Run>()
  const over = new Set<string>()
  const retries = new Map<string | undefined, number>()

  const base = (event: Event) => ({ run_id: event.run, run_label: keptIn(event, 'run_label') ?? runs.get(event.run)?.label })

  function open(event: Event, label: string | undefined): Run {
    const run: Run = { label, phase: undefined, end: undefined }
    runs.set(event.run, run)
    if (event.run !== undefined) over.delete(event.run)
    return run
  }

  /** The loop that a phase belongs to; one that was not told is told now. */
  function loopOf(event: Event): Run {
    const known = runs.get(event.run)
    if (known !== undefined) return known
    const run = open(event, undefined)
    write({ event: 'avenor.loop.start', ...base(event), ...noCounts, ts: event.at }, 'required')
    return run
  }

  function startPhase(run: Run, event: EventOf<'phase.start' | 'phase.end'>, kind: string, synthetic: string | undefined): void {
    if (run.phase !== undefined)
      write({ event: 'avenor.phase.end', ...base(event), phase: run.phase.name, iteration: run.phase.iteration, ts: event.at }, 'required')
    const { name, iteration } = event
    run.phase = { name, iteration }
    if (event.run === undefined) retries.clear()
    else retries.delete(event.run)
    write({ event: 'avenor.phase.start', ...base(event), phase: name, iteration, kind, ts: event.at }, synthetic)
  }

  function endPhase(run: Run, event: EventOf<'phase.end'>): void {
    const { name, iteration, marker } = event
    if (run.phase?.name !== name || run.phase.iteration !== iteration) startPhase(run, event, iteration === 0 ? 'pre' : 'loop', 'required')
    run.phase = undefined
    if (marker?.type === 'continue') sink.lost(event, 'marker', 'drop')
    const abort = marker?.type === 'abort' ? { abort_marker: true, abort_marker_label: marker.label } : {}
    const exit = marker?.type === 'exit' ? { exit_marker: true, exit_marker_label: marker.label } : {}
    write(
      {
        event: 'avenor.phase.end',
        ...base(event),
        phase: name,
        iteration,
        stop_reason: (event.reason === 'unknown' ? keptIn(event, 'stop_reason') : undefined) ?? stopReasonOf(event.reason),
        ...abort,
        ...exit,
        ts: event.at,
      },
      syntheticOf(event),
    )
  }

  function endLoop(run: Run, event: EventOf<'run.end'>): void {
    if (run.phase !== undefined)
      write({ event: 'avenor.phase.end', ...base(event), phase: run.phase.name, iteration: run.phase.iteration, ts: event.at }, 'required')
    const { reason, label: exit_label, iterations: iterations_completed = 0 } = event
    if (event.iterations === undefined) sink.added('avenor.loop.end.iterations_completed')
    const exit_reason = (reason === 'unknown' ? keptIn(event, 'exit_reason') : undefined) ?? exitReasonOf(reason)
    write({ event: 'avenor.loop.end', ...base(event), exit_reason, exit_label, iterations_completed, ts: event.at }, syntheticOf(event))
    runs.delete(event.run)
    if (event.run !== undefined) over.add(event.run)
  }

  return {
    labelOf: (run: string | undefined): string | undefined => runs.get(run)?.label,
    /** Retries count from 1, one by one, whatever number the source began with. */
    attemptOf(run: string | undefined, session: string | undefined, told: number): number {
      const key = run ?? session
      const attempt = told === 1 && runs.get(run)?.phase === undefined ? 1 : (retries.get(key) ?? 0) + 1
      retries.set(key, attempt)
      return attempt
    },
    isOver: (run: string | undefined): boolean => run !== undefined && over.has(run),
    push(event: EventOf<'run.start' | 'run.end' | 'phase.start' | 'phase.end'>): void {
      if (event.kind === 'run.start') {
        if (runs.has(event.run)) return sink.lost(event)
        const { maxIterations: max_iterations = 0, prePhases: pre_phase_count = 0, loopPhases: loop_phase_count = 0 } = event
        if (event.maxIterations === undefined) sink.added('avenor.loop.start.max_iterations')
        open(event, event.label)
        return write(
          { event: 'avenor.loop.start', ...base(event), max_iterations, pre_phase_count, loop_phase_count, ts: event.at },
          syntheticOf(event),
        )
      }
      const run = loopOf(event)
      if (event.kind === 'phase.start') return startPhase(run, event, event.stage, syntheticOf(event))
      if (event.kind === 'phase.end') return endPhase(run, event)
      if (isBusy(event.run)) run.end = event
      else endLoop(run, event)
    },
    /** A session of the run has ended: the end of the loop may have waited for it. */
    sessionOver(id: string | undefined): void {
      const run = runs.get(id)
      if (run?.end !== undefined && !isBusy(id)) endLoop(run, run.end)
    },
    end(): void {
      for (const [id, run] of runs) {
        if (run.phase !== undefined)
          write(
            { event: 'avenor.phase.end', run_id: id, run_label: run.label, phase: run.phase.name, iteration: run.phase.iteration },
            'cut',
          )
        write({ event: 'avenor.loop.end', run_id: id, run_label: run.label, exit_reason: exitReasonOf('cut') }, 'cut')
      }
      runs.clear()
    },
  }
}
