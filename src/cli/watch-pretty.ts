// `watch --format pretty`: the session as `sluice show` tells it, while it is written.
import type { Class } from '../analyze/classify.ts'
import { createTimeline } from '../analyze/rows.ts'
import type { Event } from '../model/event.ts'
import { createTerminalView } from '../views/terminal.ts'
import { createShowTotals } from './show-totals.ts'
import { screenOf } from './terminal.ts'
import { tagOf, type View, type ViewOptions } from './watch-view.ts'

const widestTag = tagOf('MILESTONE', 'all').length
const leastWidth = 20

export function createPretty({ put, wants, classify }: ViewOptions): View {
  const timeline = createTimeline()
  const totals = createShowTotals()
  const { width, colour } = screenOf()
  const view = createTerminalView({
    width: classify === 'no' ? width : Math.max(leastWidth, width - widestTag),
    colour,
    totals: totals.take,
  })
  const held: [event: Event, its: Class | undefined][] = [] // the end of a session that waits for the prices, and what came after it

  function tell(event: Event, its: Class | undefined): void {
    if (held.length > 0 || !totals.push(event)) held.push([event, its])
    else print(event, its)
  }

  function print(event: Event, its: Class | undefined): void {
    const lines = timeline.push(event).flatMap((row) => view.push(row))
    if (!wants(event.session, its)) return
    const tag = tagOf(its, classify)
    const first = lines.findIndex((line) => line !== '') // above it may be a blank line
    for (const [at, line] of lines.entries()) put.made(at === first ? tag + line : line)
  }

  return {
    show({ events, classes }) {
      for (const [index, event] of events.entries()) tell(event, classes[index])
      return !events.some(({ kind }) => kind === 'issue')
    },
    async load() {
      while (totals.wantsPrices()) {
        await totals.loadPrices()
        for (const [event, its] of held.splice(0)) tell(event, its)
      }
    },
    settle() {
      for (const [event, its] of held.splice(0)) print(event, its)
    },
  }
}
