// A run without an agent, for the tests of this room: it numbers events, keeps them in a real log, and notes what it is told to do.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Rec } from '../base/json.ts'
import { openSessionLog, type SessionLog } from '../log/sessions.ts'
import type { Event } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import type { Command } from '../supervise/contract.ts'
import { attachControl, type Control, type ControlOptions } from './attach.ts'
import { createQuestions } from './questions.ts'
import { type Client, connectTo, type Notice } from './client.ts'
import type { Question, Reply } from '../run/contract.ts'
import type { ControlledRun } from './contract.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-control-'))
after(() => rmSync(root, { recursive: true, force: true }))
let made = 0
export function newFolder(): string {
  const folder = join(root, String(++made))
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

export const delta = (text: string): Event => makeEvent('text.delta', { text }, { session: 's', turn: 1 })

export const question = (id: string): Question => ({
  ask: {
    id,
    place: { session: 's' },
    profile: 'default',
    changes: true,
    name: 'bash',
    toolKind: 'execute',
    input: {},
    permission: 'bash',
    patterns: ['rm -r x'],
  },
  request: {
    id,
    name: 'bash',
    permission: 'bash',
    patterns: ['rm -r x'],
    question: 'Allow bash: bash "rm -r x"?',
    options: [
      { id: 'allow_once', kind: 'allow_once', label: 'Allow once' },
      { id: 'reject_once', kind: 'reject_once', label: 'Reject' },
    ],
  },
})

export type FakeRun = {
  env: { XDG_RUNTIME_DIR: string }
  log: SessionLog
  control: Control
  commands: Command[]
  replies: [string, Reply][]
  told: Event[]
  emit(...events: Event[]): void
  /** What a turn of the event loop does after events. */
  flush(): void
  ask(id: string): void
  end(): void
  [Symbol.asyncDispose](): Promise<void>
}

export async function fakeRun({ earlier = 0, ...options }: Partial<ControlOptions> & { earlier?: number } = {}): Promise<FakeRun> {
  const folder = newFolder()
  const env = { XDG_RUNTIME_DIR: folder }
  const sessions = join(folder, 'sessions')
  let log = openSessionLog(sessions, 's')
  if (earlier > 0) {
    for (let seq = 1; seq <= earlier; seq++) log.append({ ...delta(`earlier ${seq}`), seq })
    log.close()
    log = openSessionLog(sessions, 's', earlier)
  }
  const place = { path: log.path, start: statSync(log.path).size }
  const questions = createQuestions()
  const known = { questions, cwd: '/project', startedAt: Date.now(), now: Date.now }
  const control = await attachControl({ id: 'run_1', env, log: place, ...known, ...options })
  const commands: Command[] = []
  const replies: [string, Reply][] = []
  const told: Event[] = []
  const open = new Set<string>()
  let isOver = false

  function emit(...events: readonly Event[]): void {
    for (const event of events) {
      event.seq = told.push(event)
      log.append(event)
      questions.observe(event)
      control.sink.push(event)
    }
  }
  function flush(): void {
    log.flush()
    control.sink.flush()
  }
  const run: ControlledRun = {
    send: (command) => void commands.push(command),
    force: (text) => void commands.push({ type: 'cancel', target: 'session', by: 'policy', reason: 'cancelled_forced', text }),
    answer(id, reply) {
      if (!open.delete(id)) return false
      replies.push([id, reply])
      emit(makeEvent('permission.answer', { id, decision: 'allow', by: reply.by, option: reply.option }, { session: 's' }))
      flush()
      return true
    },
    choose(id, answers) {
      emit(makeEvent('question.answer', { id, decision: 'allow', by: 'control', answers }, { session: 's' }))
      flush()
      return true
    },
    emit(events) {
      emit(...events)
      flush()
    },
    sessions: () => [{ session: 's', openTools: [] }],
  }
  control.attach(run)
  function end(): void {
    if (isOver) return
    isOver = true
    flush()
    log.close()
    control.sink.end()
  }
  return {
    env,
    log,
    control,
    commands,
    replies,
    told,
    emit,
    flush,
    ask(id) {
      open.add(id)
      emit(makeEvent('permission.request', question(id).request, { session: 's' }))
      flush()
    },
    end,
    async [Symbol.asyncDispose]() {
      end()
      await control.close()
    },
  }
}

export const clientOf = (run: FakeRun): Promise<Client> => connectTo(run.control.path!)

/** The next so many notices. */
export async function take(notices: AsyncGenerator<Notice>, count: number): Promise<Notice[]> {
  const taken: Notice[] = []
  while (taken.length < count) {
    const { done, value } = await notices.next()
    if (done === true) break
    taken.push(value)
  }
  return taken
}

export const seqs = (notices: readonly Notice[]): unknown[] =>
  notices.map(({ method, params }) => (method === 'event' ? params['seq'] : method))

export const failure = (promise: Promise<unknown>): Promise<Rec & Error> =>
  promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error as Rec & Error,
  )
