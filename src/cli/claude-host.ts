// The Claude-compatible host in this process: its stdin and stdout, signals, and the exit code.
import { plainHost, serveClaude, type HostOptions } from '../hosts/claude/serve.ts'
import type { RunRequest } from '../run/request.ts'
import { exitCodeOf, exitCodes } from './exit.ts'
import { print } from './io.ts'
import { hearSignals, type Signals } from './run-live.ts'
import { lineOut } from './run-outputs.ts'
import { createUnwritten, type Unwritten } from './run-unwritten.ts'
import { surroundings } from './surroundings.ts'

export { plainHost }

type Around = {
  /** Outputs that cannot be written. */
  unwritten?: Unwritten
  /** From when on the run hears signals itself. */
  onRun?: () => Promise<void>
}

export async function claudeHost(
  request: RunRequest,
  options: HostOptions,
  { unwritten = createUnwritten(), onRun }: Around = {},
): Promise<number> {
  let signals: Signals | undefined
  const end = await serveClaude(request, options, {
    around: await surroundings(),
    stdin: process.stdin,
    out: lineOut(1),
    print,
    onOutFailed: unwritten.byStdout,
    onLogFailed: unwritten.by('the session file'),
    async onRun(run) {
      signals = hearSignals(run)
      await onRun?.()
    },
  })
  signals?.stop()
  const signal = signals?.heard()
  const isOk = end === undefined || (end.reason === 'cancelled' && signal === undefined)
  return unwritten.code(isOk ? exitCodes.ok : exitCodeOf(end, signal))
}
