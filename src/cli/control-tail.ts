// Events that come from a run's socket, written in a dialect; what else it tells goes to stderr.
import { plural } from '../base/text.ts'
import type { Notice } from '../control/client.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import type { Event } from '../model/event.ts'
import { dialectSink } from '../run/sinks.ts'
import { CommandError, say } from './exit.ts'
import { isTerminal, stdout } from './io.ts'
import { lineOut } from './run-outputs.ts'
import { isReaderGone, unwrittenReason } from './run-unwritten.ts'

/** `isWhole`: the end was told, or nobody reads any more. Throws a CommandError when the disk is full. */
export async function tail(notices: Iterable<Notice> | AsyncIterable<Notice>, dialect: WritableDialect): Promise<{ isWhole: boolean }> {
  let isWhole = false
  let fault: CommandError | undefined
  const sink = dialectSink(dialect, isTerminal(1) ? stdout() : lineOut(1), (error) => {
    isWhole = true
    if (!isReaderGone(error)) fault = new CommandError(`cannot write the output: ${unwrittenReason(error)}`)
  })
  let pending: NodeJS.Immediate | undefined
  const flush = (): void => {
    pending = undefined
    sink.flush()
  }
  for await (const { method, params } of notices) {
    if (method === 'event') sink.push(params as unknown as Event) // a run of sluice tells nothing else
    else if (method === 'gap') tellGap(params)
    else if (method === 'end') isWhole = true
    if (isWhole) break
    pending ??= setImmediate(flush)
  }
  clearImmediate(pending)
  if (isWhole) sink.end()
  else sink.flush() // no end is made up for a run that goes on
  if (fault !== undefined) throw fault
  return { isWhole }
}

function tellGap({ after, head, lost }: Notice['params']): void {
  const behind = Number(head) - Number(after)
  if (lost === undefined) say(`sluice: ${plural(behind, 'event')} behind; they follow from the log`)
  else say(`sluice: ${plural(Number(lost), 'event')} lost: the log of the run cannot be read`)
}
