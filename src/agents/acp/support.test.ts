// For tests of agents that speak the protocol: the small agent, whose prompts are its scripts, and recordings.
import type { Answer, Ask } from '../../supervise/contract.ts'
import type { AgentRequest, Prompt } from '../driver.ts'
import { type Timeouts, timeouts } from '../timeouts.ts'
import { startSpawned } from '../spawned.ts'
import { fixture, hear, session } from '../support.test.ts'
import { acpDriver } from './agent.ts'
import { quote } from '../../../test/quote.ts'

export const request: AgentRequest = {
  session,
  how: 'new',
  profile: 'default',
  cwd: process.cwd(),
  env: { PATH: process.env['PATH'] },
  stream: true,
}

export type Play = {
  variables?: Record<string, string>
  more?: Partial<AgentRequest>
  answer?: (ask: Ask) => Answer | undefined
  times?: Partial<Timeouts>
  command?: string
}

export function play(prompts: readonly (string | Prompt)[], { variables = {}, more, answer, times, command }: Play = {}) {
  const all = { ...request, ...more, variables }
  const driver = acpDriver(command ?? quote(fixture('agents/acp.mjs')))(all)
  const running = hear((host) => startSpawned(driver, all, host, { ...timeouts, drainMs: 60, ...times }), answer)
  for (const prompt of prompts) running.send(typeof prompt === 'string' ? { type: 'prompt', text: prompt } : prompt)
  running.send({ type: 'finish' })
  return running
}

export const replay = (recording: string, answer?: Play['answer'], prompts: readonly string[] = ['Do the task']) =>
  play(prompts, {
    command: quote(fixture('agents/acp-recording.mjs')),
    ...(recording.startsWith('codex/') && { more: { mode: 'read-only' } }),
    variables: { FIXTURE_RECORDING: fixture(`acp/${recording}.traffic.ndjson`) },
    ...(answer !== undefined && { answer }),
  })

export const allow = (): Answer => ({ decision: 'allow', by: 'user' })
export const refuse = (): Answer => ({ decision: 'reject', by: 'user', text: 'not today' })
export const answerOf = ({ of }: Pick<ReturnType<typeof play>, 'of'>): string =>
  of('text.delta')
    .map(({ text }) => text)
    .join('')
