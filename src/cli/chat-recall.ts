// What was said last in a session that goes on: the prompt and the answer to it.
import type { Row } from '../analyze/row.ts'
import { createTimeline } from '../analyze/rows.ts'
import type { Event } from '../model/event.ts'
import { createTerminalView } from '../views/terminal.ts'
import type { Screen } from './terminal.ts'

export function lastExchange(history: readonly Event[], screen: Screen): string[] {
  const from = history.findLastIndex((event) => event.kind === 'prompt.submit' && event.agent === undefined)
  if (from === -1) return []
  const timeline = createTimeline()
  const rows = history.slice(from).flatMap((event): Row[] => timeline.push(event))
  const main = rows.filter(({ depth }) => depth === 0)
  const answer = main.findLast(({ type }) => type === 'text')
  const view = createTerminalView(screen)
  return [main.find(({ type }) => type === 'prompt'), answer].flatMap((row) => (row === undefined ? [] : view.push(row)))
}
