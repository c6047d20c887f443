// The end of a run that its writer could not write: a new generation with the ends of all that was open, marked synthetic, and the last line.
// Whoever holds the lock of the run writes it, so there is one.
import { closeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createJsonLines } from '../../files/json-line.ts'
import type { Event } from '../../model/event.ts'
import { type Cause, createPen, type Pen } from '../../model/pen.ts'
import { eventsIn } from '../batch.ts'
import type { EndReason, RunState } from '../contract.ts'
import { LogError } from '../errors.ts'
import { holdDead, probe } from './alive.ts'
import { closeLine, type Header, openLine, thisProcess } from './control-line.ts'
import { numbersIn, openOwn, type Place, runFolder } from './files.ts'
import { createGeneration, endOf, type Generation, generationsOf, openGeneration, suffix, writeWhole } from './generation.ts'
import { addPart, lastPart } from './parts.ts'

/** `writer`: undefined of a session file of old. Later generations are made by those who end a run for it. */
type Standing = { state: RunState; writer: Header | undefined; path: string }

export async function stateOf(place: Place, run: string): Promise<Standing> {
  const folder = runFolder(place, run)
  for (let isDead = false; ; isDead = true) {
    const generations = await generationsOf(place, run)
    const last = generations.at(-1)
    if (last === undefined) throw new LogError('not-found', `there is no run ${JSON.stringify(run)}`)
    const { path } = last
    const writer = generations.find(({ header }) => header !== undefined)?.header
    if (writer === undefined) return { state: 'ended', writer, path }
    const { closed } = await endOf(last)
    if (closed !== undefined) return { state: closed.why, writer, path }
    if (writer.host !== place.host) return { state: 'unknown', writer, path }
    if (isDead) return { state: 'dead', writer, path } // it was before we looked, and has not been closed
    const found = probe(folder)
    if (found !== 'dead') return { state: found, writer, path }
  }
}

const waitMs = 2000 // for another who ends the run
const lookMs = 20

export async function reapRun(place: Place, run: string): Promise<RunState> {
  for (let waited = 0; ; waited += lookMs) {
    const { state, writer } = await stateOf(place, run)
    const isOther = state === 'alive' && waited < waitMs && isGone(writer!) // who holds the lock is about to end the run
    if (state !== 'dead' && !isOther) return state
    const result = state === 'dead' ? await tryReap(place, run) : 'busy'
    if (result !== 'busy') return result
    await delay(lookMs)
  }
}

async function tryReap(place: Place, run: string): Promise<RunState | 'busy'> {
  let release: (() => void) | undefined
  try {
    release = holdDead(runFolder(place, run))
    if (release === undefined) return 'busy'
    const { closed } = await endOf((await generationsOf(place, run)).at(-1)!)
    if (closed !== undefined) return closed.why
    await endRun(place, run, 'died', { reason: 'cut', synthetic: 'cut' })
    return 'died'
  } catch {
    return 'dead' // not ours to write, or no room: whoever comes later may do it
  } finally {
    release?.()
  }
}

/** Of this machine, and since the same start of it. */
function isGone({ pid, boot }: Header): boolean {
  if (boot !== thisProcess().boot) return true
  try {
    return !process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** `after`: the last event that counts; by default the last that is there. The lock is ours. */
export async function endRun(place: Place, run: string, why: EndReason, cause: Cause, after = Infinity): Promise<void> {
  const { pen, last, sessions, generations } = await fold(place, run, after)
  for (const { path } of after === Infinity ? generations : []) {
    await using file = await openOwn(path)
    await place.files.sync(file.fd) // else less than what we go on from might survive
  }
  pen.end(cause)
  const ends = pen.take()
  const gen = (await numbersIn(runFolder(place, run), suffix)).at(-1)! + 1
  const { socket: _socket, ...known } = generations.at(-1)!.header!
  const header = { ...known, ...thisProcess(), host: place.host, gen, after: last }
  const fd = await createGeneration(place, header, openLine(header))
  try {
    for (const id of new Set(ends.map(({ session }) => session))) {
      const session = sessions.get(id)
      const before = session === undefined ? undefined : await lastPart(place, session)
      if (before?.run !== run) continue // it was removed
      const { to: _to, ...rest } = before
      const prev = { part: before.part, last }
      await addPart(place, { ...rest, part: before.part + 1, gen, from: last + 1, prev, at: place.now() })
    }
    writeWhole(place, fd, Buffer.concat([...linesOf(ends, run, last), closeLine({ why })]))
    await place.files.sync(fd)
  } finally {
    closeSync(fd)
  }
}

type Folded = { pen: Pen; last: number; sessions: Map<string | undefined, string>; generations: Generation[] }

async function fold(place: Place, run: string, after: number): Promise<Folded> {
  const pen = createPen()
  const sessions = new Map<string | undefined, string>()
  const generations = await generationsOf(place, run)
  let last = 0
  for (const generation of generations) {
    const limit = Math.min(after, generation.limit)
    const reader = await openGeneration(generation, generation.after)
    try {
      for (let piece = await reader.next(limit); piece.type === 'lines'; piece = await reader.next(limit))
        for (const event of eventsIn(piece.lines)) follow(pen, event)
    } finally {
      await reader.close()
    }
    last = reader.last()
    for (const joined of reader.joined) sessions.set(joined.in, joined.session)
  }
  return { pen, last, sessions, generations }
}

/** An event that was changed by hand must not keep a run from its end. */
function follow(pen: Pen, event: Event): void {
  try {
    pen.follow(event)
  } catch {
    // it is not known what it would have opened
  }
}

function linesOf(events: readonly Event[], run: string, last: number): Buffer[] {
  const { line } = createJsonLines()
  return events.map((event, index) => {
    event.seq = last + 1 + index
    event.run ??= run
    return Buffer.concat([line(event, event.kind).text, Buffer.from('\n')])
  })
}
