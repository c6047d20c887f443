// The table of agents and scenarios: on the screen as it grows, and in docs/agents.md.
import { readFileSync, writeFileSync } from 'node:fs'

/** `note`: why there is no such thing with this agent, or what is different with it. */
export type Cell = { agent: string; scenario: string; mark: 'ok' | 'FAILED' | '–'; note?: string }

const [begin, end] = ['<!-- agents: begin -->', '<!-- agents: end -->']

export function tableOf(cells: readonly Cell[]): string {
  const [agents, scenarios] = [distinct(cells.map(({ agent }) => agent)), distinct(cells.map(({ scenario }) => scenario))]
  const notes = distinct(cells.flatMap(({ note }) => note ?? []))
  const cellOf = (scenario: string, agent: string): string => {
    const cell = cells.find((one) => one.scenario === scenario && one.agent === agent)
    return cell === undefined ? '' : `${cell.mark}${cell.note === undefined ? '' : ` ${notes.indexOf(cell.note) + 1}`}`
  }
  const rows = [
    ['scenario', ...agents],
    ['---', ...agents.map(() => '---')],
    ...scenarios.map((name) => [name, ...agents.map((agent) => cellOf(name, agent))]),
  ]
  const listed = notes.map((note, at) => `${at + 1}. ${note}`)
  return [...rows.map((row) => `| ${row.join(' | ')} |`), ...(listed.length > 0 ? ['', ...listed] : [])].join('\n')
}

const distinct = (words: readonly string[]): string[] => [...new Set(words)]

/** Between its two marks; the rest of the page is not ours. */
export function writeTable(page: string, table: string): void {
  const text = readFileSync(page, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${page} has no "${begin}" and "${end}" for the table to stand between`)
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`)
}
