// For tests of agents that speak JSON-RPC badly: what the program says is a table, by the methods of the host.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { Rec } from '../base/json.ts'
import type { Answer, Ask } from '../supervise/contract.ts'
import { acpDriver } from './acp/agent.ts'
import { codexDriver } from './codex/agent.ts'
import type { AgentRequest } from './driver.ts'
import { type Timeouts, timeouts } from './timeouts.ts'
import { startSpawned } from './spawned.ts'
import { fixture, hear, session } from './support.test.ts'
import { quote } from '../../test/quote.ts'

const folder = mkdtempSync(join(tmpdir(), 'rpc-'))
test.after(() => rmSync(folder, { recursive: true }))
let plays = 0

export type Line = Rec | string
/** A list of lists: what the first, the second … call gets. */
export type Table = Record<string, readonly Line[] | readonly (readonly Line[])[]>
export type Kind = 'acp' | 'codex'

export const says = (id: unknown, result: unknown): Rec => ({ jsonrpc: '2.0', id, result })
export const fails = (id: unknown, code: number, message: string): Rec => ({ jsonrpc: '2.0', id, error: { code, message } })
export const chunk = (text: string): Rec => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's1', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
})
export const mayI = (id: unknown, command: string): Rec => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: {
    sessionId: 's1',
    toolCall: { toolCallId: command, title: command, kind: 'execute', rawInput: { command } },
    options: ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind })),
  },
})
/** A notification of Codex about its only thread. */
export const tells = (method: string, params: Rec = {}): Rec => ({ method, params: { threadId: 'th1', ...params } })
export const turn = (id: unknown, status = 'inProgress'): Rec => ({ turn: { id, items: [], status } })
export const message = (text: string): Rec => tells('item/completed', { turnId: 't1', item: { type: 'agentMessage', id: 'i1', text } })

/** An agent without a fault. */
export const well = {
  acp: {
    initialize: [says('$id', { protocolVersion: 1, agentCapabilities: {} })],
    'session/new': [says('$id', { sessionId: 's1' })],
    'session/prompt': [chunk('hi'), says('$id', { stopReason: 'end_turn' })],
  },
  codex: {
    initialize: [{ id: '$id', result: {} }],
    'config/read': [{ id: '$id', result: { config: {} } }],
    'thread/start': [{ id: '$id', result: { thread: { id: 'th1' }, model: 'm' } }],
    'turn/start': [
      { id: '$id', result: turn('t1') },
      tells('turn/started', turn('t1')),
      message('hi'),
      tells('turn/completed', turn('t1', 'completed')),
    ],
  },
} satisfies Record<Kind, Table>

export type Play = {
  prompts?: readonly string[]
  answer?: (ask: Ask) => Answer | undefined
  times?: Partial<Timeouts>
  more?: Partial<AgentRequest>
  /** More prompts may come. */
  isOpen?: boolean
}

/** `heard`: what the program was told, as it was written. */
export function play(kind: Kind, table: Table, { prompts = ['one'], answer, times, more, isOpen = false }: Play = {}) {
  const file = join(folder, `heard-${++plays}`)
  writeFileSync(file, '')
  const variables = { FIXTURE_ANSWERS: JSON.stringify({ ...well[kind], ...table }), FIXTURE_HEARD: file }
  const env = { PATH: process.env['PATH'], HOME: folder }
  const program = fixture('agents/rpc.mjs')
  const request: AgentRequest = { session, how: 'new', profile: 'default', cwd: process.cwd(), env, stream: true, ...more, variables }
  const driver = kind === 'acp' ? acpDriver(quote(program))(request) : codexDriver({ ...request, file: program })
  const quick = { ...timeouts, drainMs: 60, interruptMs: 60, termMs: 200, ...times }
  const running = hear((host) => startSpawned(driver, request, host, quick), answer)
  for (const text of prompts) running.send({ type: 'prompt', text })
  if (!isOpen) running.send({ type: 'finish' })
  const heard = (): string[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  return Object.assign(running, { heard })
}
