// sluice emit: a script that an agent runs puts its own events into the stream of the run.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rec } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { connectTo } from '../control/client.ts'
import { createFramer } from '../framing/framer.ts'
import { reached } from './control-reach.ts'
import { exitCodes, usageError } from './exit.ts'
import { blocks } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'

export const spec: CommandSpec = {
  usage: 'sluice emit JSON|-',
  about: `Adds your own event to the run in which this command runs. Readers of Avenor's dialect get the event unchanged. The
variable SLUICE_EMIT_SOCKET, which every run sets for its agent, names the run. With - it reads events from stdin, one a line.`,
  options: {},
  examples: [
    [`sluice emit '{"event":"tests.done","passed":12,"failed":0}'`, 'from a script that the agent runs'],
    ['my-checks --json | sluice emit -', 'one event on each line'],
  ],
  exits: ['0  the run took the event', '1  the run refused it, or has ended', '2  wrong usage, or not inside a run'],
}

const patienceMs = 10_000
const tooMany = -32029

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const [text, more] = parsed.files
  if (text === undefined || more !== undefined) throw usageError('give one event as JSON, or - to read them from stdin')
  const path = process.env['SLUICE_EMIT_SOCKET'] ?? ''
  if (path === '') throw usageError('this is not inside a run: SLUICE_EMIT_SOCKET is not set (from outside: sluice control emit)')
  const events = createEvents()
  let told = 0
  const send = async (): Promise<void> => {
    for (const event of events.take()) await reached(emit(path, event)).then(() => told++)
    events.check() // what came before it is told
  }
  if (text !== '-') events.push(Buffer.from(text))
  else await eachBlock((block) => (events.push(block), send())) // a script that goes on for hours reports as it goes
  events.end()
  await send()
  if (told === 0 && text !== '-') throw usageError(`there is no event in ${quoted(text)}`)
  return exitCodes.ok
}

async function eachBlock(take: (block: Uint8Array) => Promise<void>): Promise<void> {
  const input = blocks('-')
  for (let next = await input.next(); next.done !== true; next = await input.next()) await take(next.value)
}

/** JSON objects in text, as they become whole. */
function createEvents() {
  let found: Rec[] = []
  let wrong: Error | undefined
  const framer = createFramer({
    record: (event) => void (wrong === undefined && found.push(event)),
    bad(code, text, { bytes, start, end }) {
      if (code === 'utf8') return
      wrong ??=
        code === 'array'
          ? usageError(`this is no list of events: ${text}`)
          : usageError(`${quoted(Buffer.from(bytes.subarray(start, end)).toString())} is not an event: ${text}`)
    },
  })
  return {
    push: (bytes: Uint8Array): void => framer.push(bytes),
    end: (): void => framer.end(),
    check(): void {
      if (wrong !== undefined) throw wrong
    },
    take(): Rec[] {
      const events = found
      found = []
      return events
    },
  }
}

/** Who is told to wait waits, but not for ever. Each time anew: a connection that is idle for long is closed, and there are only so many. */
async function emit(path: string, event: Rec): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      using client = await connectTo(path)
      return void (await client.call('emit', { event }))
    } catch (error) {
      const { code, data } = error as { code?: unknown; data?: { retryMs?: number } }
      if (code !== tooMany || performance.now() > deadline) throw error
      await sleep(Math.max(1, data?.retryMs ?? 100))
    }
  }
}
