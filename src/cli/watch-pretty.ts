// `watch --format pretty`: the session as `sluice show` tells it, while it is written.
import { createTimeline } from '../analyze/rows.ts'
import { createTerminalView } from '../views/terminal.ts'
import { screenOf } from './terminal.ts'
import { tagOf, type View, type ViewOptions } from './watch-view.ts'

export function createPretty({ put, wants, classify }: ViewOptions): View {
  const timeline = createTimeline()
  const view = createTerminalView(screenOf())
  return {
    show({ events, classes }) {
      for (const [index, event] of events.entries()) {
        const lines = timeline.push(event).flatMap((row) => view.push(row))
        if (!wants(event.session, classes[index])) continue
        const tag = tagOf(classes[index], classify)
        const first = lines.findIndex((line) => line !== '') // above it may be a blank line
        for (const [at, line] of lines.entries()) put.made(at === first ? tag + line : line)
      }
      return !events.some(({ kind }) => kind === 'issue')
    },
  }
}
