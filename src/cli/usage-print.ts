// What `sluice usage` shows in a terminal: a table of groups with a bar for each, totals, and what the numbers rest on.
import type { Group, Totals, UsageReport } from '../analyze/usage.ts'
import { severalAgents } from '../analyze/usage-sums.ts'
import { plural } from '../base/text.ts'
import { isScripted } from '../model/scripted.ts'
import type { Source } from '../prices/table.ts'
import { costText, countText } from '../views/amounts.ts'
import { harmlessLine } from '../views/harmless.ts'
import { widthOf } from '../views/layout.ts'
import { styleFor } from '../views/style.ts'
import type { Screen } from './terminal.ts'

const columns = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite'] as const
const titles = { input: 'input', output: 'output', reasoning: 'thinking', cacheRead: 'cache read', cacheWrite: 'cache write' }
const widestKey = 44
const narrowestKey = 12
const widestBar = 24
const narrowestBar = 6

/** `fits`: what is too wide for the screen is cut, the names first and then the last buckets; a pipe gets all of it. */
export function usageLines(title: string, groups: readonly Group[], totals: Totals, { width, colour }: Screen, fits: boolean): string[] {
  const style = styleFor(colour)
  const row = (key: string, sums: Totals): string[] => [key, ...used.map((bucket) => countText(sums[bucket])), costText(sums.costUsd)]
  // A column that nobody fills says nothing.
  const used = columns.filter((bucket) => totals[bucket] > 0)
  const cells = [
    [title, ...used.map((bucket) => titles[bucket]), 'cost'],
    ...groups.map((group) => row(harmlessLine(group.key), group)),
    ...(groups.length === 1 ? [] : [row('total', totals)]),
  ]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => widthOf(line[column]!))))
  const roomForKeys = (): number => widths.reduce((left, wide, column) => (column === 0 ? left : left - wide - 2), width)
  while (fits && widths.length > 2 && roomForKeys() < Math.min(narrowestKey, widths[0]!))
    for (const list of [...cells, widths]) list.splice(-2, 1)
  widths[0] = Math.min(widths[0]!, widestKey, fits ? Math.max(narrowestKey, roomForKeys()) : widestKey)
  const table = cells.map((line) =>
    line
      .map((cell, column) => {
        const text = column === 0 ? shortened(cell, widths[0]!) : cell
        const gap = ' '.repeat(widths[column]! - widthOf(text))
        return column === 0 ? text + gap : gap + text
      })
      .join('  '),
  )
  const room = Math.min(widestBar, width - table[0]!.length - 2)
  const weight = weightOf(totals)
  const most = Math.max(...groups.map(weight))
  return table.map((line, index) => {
    if (index === 0) return style.dim(line)
    const group = groups[index - 1]
    if (group === undefined) return style.bold(line)
    return room < narrowestBar || groups.length === 1 ? line : `${line}  ${style.cyan(bar(weight(group) / most, room))}`
  })
}

/** By cost where all is priced; else cost would say that free is small. */
const weightOf = (totals: Totals): ((group: Totals) => number) =>
  totals.costUsd > 0 ? ({ costUsd }) => costUsd : (group) => columns.reduce((sum, bucket) => sum + group[bucket], 0)

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
function bar(share: number, room: number): string {
  const length = Math.round(share * room * 8)
  return '█'.repeat(length >> 3) + eighths[length & 7]!
}

/** The end of a path or id tells more than its start. */
function shortened(key: string, most: number): string {
  if (widthOf(key) <= most) return key
  let text = key.slice(1 - most)
  while (widthOf(text) >= most) text = text.slice(1)
  return `…${text.replace(/^[\udc00-\udfff]/, '')}` // not the half of a character
}

/** What the numbers rest on, for people. */
export function notes({ totals, models, agents, unpriced }: UsageReport, sources: readonly Source[]): string[] {
  const lines: string[] = []
  if (agents.length > 0) {
    const tokens = agents.reduce((sum, agent) => sum + columns.reduce((all, bucket) => all + (agent[bucket] ?? 0), 0), 0)
    const who = agents.some(({ agent }) => agent === severalAgents) ? 'subagents' : plural(agents.length, 'subagent')
    lines.push(`of these, ${countText(tokens)} tokens were used by ${who}`)
  }
  if (totals.reportedUsd > 0 && totals.pricedUsd > 0)
    lines.push(`${costText(totals.reportedUsd)} were told by the agents, ${costText(totals.pricedUsd)} worked out from prices`)
  const scripted = models.filter(({ key }) => isScripted({ model: key }))
  if (scripted.length > 0) {
    const usd = scripted.reduce((sum, { costUsd }) => sum + costUsd, 0)
    const names = scripted.map(({ key }) => harmlessLine(key)).join(', ')
    lines.push(`scripted, no real cost: ${names}${usd > 0 ? ` (${costText(usd)} of the sum)` : ''}`)
  }
  if (totals.pricedUsd > 0) lines.push(`prices: ${sources.map(sourceText).join(', then ')}`)
  for (const { model, tokens } of unpriced.filter((one) => !isScripted(one)))
    lines.push(`no price is known for ${harmlessLine(model)}: ${countText(tokens)} tokens are not in the cost`)
  return lines
}

export const sourceText = ({ name, version, date }: Source): string => `${name}${version === undefined ? '' : ` ${version}`} of ${date}`
