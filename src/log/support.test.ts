// What the tests of logs share: events, a reader that takes all, programs that are killed.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Event } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import type { Cursor, Item, Log, Stream } from './contract.ts'
import { formatCursor, parseCursor } from './cursor.ts'
import { LogError } from './errors.ts'

export type Step = 'create' | 'write' | 'sync'

export type Store = {
  /** As from a process of its own. `fail`: asked before each step of writing. */
  connect(fail?: (step: Step) => Error | undefined): Log
  /** A program for `node --input-type=module -e`, in which `log` is this log. */
  program(body: string): string
}

export const delta = (text: string, session = 's'): Event => makeEvent('text.delta', { text }, { session })
export const startEvent = (session = 's'): Event => makeEvent('session.start', { how: 'new' }, { session })
export const endEvent = (session = 's'): Event => makeEvent('session.end', { reason: 'end_turn' }, { session })
export const turnEvent = (session = 's'): Event => makeEvent('turn.start', { trigger: 'prompt' }, { session, turn: 1 })
export const deltas = (count: number, session = 's', text = 'x'): Event[] =>
  Array.from({ length: count }, (_, index) => delta(`${text}${index}`, session))
export const textsOf = (events: readonly Event[]): unknown[] =>
  events.map((event) => (event.kind === 'text.delta' ? event.text : event.kind))
export const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index)

export type Got = { events: Event[]; cursors: Cursor[]; items: Item[]; end: Item | undefined }

/** All that is there; with `until: 'end'` all that will be. */
export async function take(log: Log, stream: Stream, after?: Cursor, until: 'live' | 'end' = 'live', signal?: AbortSignal): Promise<Got> {
  const got: Got = { events: [], cursors: [], items: [], end: undefined }
  for await (const item of log.read(stream, after, signal)) {
    got.items.push(item)
    if (item.type === 'events') {
      const events = item.events()
      got.events.push(...events)
      const { index } = parseCursor(item.first)!
      const cursors = events.map(({ seq }) => formatCursor(index, seq))
      assert.deepEqual([item.count, item.first, item.last], [events.length, cursors[0], cursors.at(-1)])
      got.cursors.push(...cursors)
    }
    if (item.type === 'end') got.end = item
    if (item.type === until) break
  }
  return got
}

export const hasCode = (code: string) => (error: unknown) => error instanceof LogError && error.code === code

export function run(program: string): ChildProcess & { line(): Promise<string> } {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return Object.assign(child, { line: async () => String((await lines.next()).value) })
}

export const syntheticEnds = (events: readonly Event[]): Event[] =>
  events.filter((event) => event.kind === 'session.end' && event.synthetic !== undefined)
