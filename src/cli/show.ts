// sluice show: a recorded session as a person wants to read it.
import { createTimeline } from '../analyze/rows.ts'
import type { Event } from '../model/event.ts'
import { createReader } from '../stream/read.ts'
import { createTerminalView } from '../views/terminal.ts'
import { claimers, open } from './dialects.ts'
import { exitCodes } from './exit.ts'
import { blocks, oneFile, screen } from './io.ts'
import { type CommandSpec, dialectOption, parseOptions, sizeOption } from './options.ts'
import { redactionOf, redactOption } from './redaction.ts'
import { createShowTotals } from './show-totals.ts'
import { screenOf } from './terminal.ts'

export const spec: CommandSpec = {
  usage: 'sluice show [FILE|-] [options]',
  about: `Prints a session for reading: prompts, thoughts, tool calls with their results, diffs, answers, subagents, questions
and their answers, and a summary line with turns, time, tokens and cost. Reads any dialect, also while it is written.`,
  options: {
    full: { type: 'boolean', help: 'show everything: whole thoughts, outputs and diffs' },
    redact: redactOption,
    from: { type: 'string', value: 'DIALECT', help: 'the dialect of the input (default: auto, detected from the first records)' },
    dialect: { type: 'string', value: 'DIALECT', help: 'the same as --from' },
    'max-line': {
      type: 'string',
      value: 'SIZE',
      help: 'maximum size of a record (default 128MiB); longer records are reported and skipped',
    },
  },
  examples: [
    ['sluice show session.ndjson', 'what happened?'],
    ['FORCE_COLOR=1 sluice show session.ndjson --full | less -R', 'everything, in a pager'],
    ['codex exec --json "fix the test" | sluice show', 'while it runs'],
  ],
  exits: [
    '0  every line was read',
    '1  a line could not be read, or writing failed',
    '2  wrong usage, a file that cannot be opened, or input in no known dialect',
  ],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const maxLine = sizeOption(values, 'max-line')
  const input = await open(blocks(oneFile(files)), dialectOption(values))
  const redaction = await redactionOf(values)
  const redactor = redaction?.create()
  const out = screen()
  const timeline = createTimeline()
  const totals = createShowTotals()
  const view = createTerminalView({ ...screenOf(), full: values['full'] === true, patient: true, totals: totals.take })
  const held: Event[] = [] // the end of a session that waits for the prices, and what came after it
  const tell = (event: Event): void => {
    if (held.length > 0 || !totals.push(event)) return void held.push(event)
    for (const row of timeline.push(event)) for (const line of view.push(row)) out.line(line)
  }
  let issues = 0
  const reader = createReader(
    input.dialect,
    (events) => {
      for (const event of events) {
        if (event.kind === 'issue') issues++
        if (redactor === undefined) tell(event)
        else redactor.event(event).forEach(tell)
      }
    },
    { maxLine, others: claimers, raw: input.dialect.name === 'avenor' ? 'unmapped' : 'none' },
  )
  const price = async (): Promise<void> => {
    await totals.loadPrices()
    held.splice(0).forEach(tell)
  }
  const take = (block: Uint8Array): boolean => {
    reader.push(block)
    view.settle().forEach(out.line)
    out.flush()
    return totals.wantsPrices()
  }
  while ((await input.read(take)) === 'enough') await price()
  reader.end()
  redactor?.end().forEach(tell)
  if (totals.wantsPrices()) await price()
  out.flush()
  redaction?.tell()
  return issues > 0 ? exitCodes.failed : exitCodes.ok
}
