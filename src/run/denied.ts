// Calls of other programs that were made against a rule or a gate.
import { askFor } from '../agents/ask.ts'
import { isSandboxed } from '../agents/guard.ts'
import { programOf } from '../agents/program.ts'
import type { DeniedButRanSettings } from '../supervise/denied-but-ran.ts'
import type { Agent } from './agent.ts'
import type { RunRequest } from './request.ts'
import { brokerOf } from './supervisors.ts'

/** The calls of other programs are judged once more when they were made: not every program asks. */
export function deniedCalls(request: RunRequest, { frame }: Agent, report: (line: string) => void): DeniedButRanSettings {
  if (request.agent === 'builtin' || request.agent.startsWith('replay:')) return { report }
  const broker = brokerOf(frame, request, () => false)
  const { readOnly, dryRun, strict } = request.gates
  const isHeld = isSandboxed(programOf(request.agent)) && (readOnly || dryRun) && !strict
  return {
    report,
    against(event) {
      const { session, agent, turn, message, call = '', name, toolKind, input } = event
      const place = { session, agent, turn, message, call }
      const verdict = broker.against(askFor({ id: call, place, name, toolKind, input }, frame.profile.name, frame.places.cwd))
      if (verdict === undefined || verdict === 'ask') return undefined
      if (verdict.answer.by === 'rule') return { text: 'a rule denies it', ends: true }
      const isGated = readOnly || dryRun || strict
      return isGated && !(isHeld && toolKind === 'execute') ? { text: `the run is ${gateWord(request.gates)}`, ends: true } : undefined
    },
  }
}

const gateWord = ({ readOnly, dryRun }: RunRequest['gates']): string =>
  readOnly ? 'read-only (--read-only)' : dryRun ? 'a dry run (--dry-run)' : 'strict (--strict), and the settings do not list that tool'
