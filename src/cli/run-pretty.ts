// A run for people to look at: the same view as that of `sluice show`, while it happens.
import { createTimeline } from '../analyze/rows.ts'
import type { Event } from '../model/event.ts'
import type { EventSink } from '../run/contract.ts'
import { untilGone } from '../run/sinks.ts'
import { createTerminalView } from '../views/terminal.ts'
import type { RunScreen } from './run-screen.ts'
import type { Unwritten } from './run-unwritten.ts'
import { createShowTotals } from './show-totals.ts'
import { screenOf } from './terminal.ts'

export function prettySink({ byStdout }: Unwritten, out: RunScreen): EventSink {
  const timeline = createTimeline()
  const totals = createShowTotals()
  const view = createTerminalView({ ...screenOf(), totals: totals.take })
  const guarded = untilGone(byStdout)
  return {
    push: guarded((event: Event) => {
      totals.push(event)
      out.push(event)
      for (const row of timeline.push(event)) for (const line of view.push(row)) out.line(line)
    }),
    flush: guarded(() => {
      out.flush()
      if (totals.wantsPrices()) void totals.loadPrices() // there long before the session ends
    }),
    end: guarded(out.end),
  }
}
