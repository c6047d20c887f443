// A session of the built-in agent for tests: a scripted model, tools of the test's own, and a host that answers as told.
import { loadScript } from '../../script/load.ts'
import type { Event, Kind, EventOf } from '../../model/event.ts'
import type { Answer, Ask } from '../../supervise/contract.ts'
import type { Running } from '../contract.ts'
import { startBuiltin } from './agent.ts'
import { createScripted } from './model/scripted.ts'
import type { BuiltinRequest } from './request.ts'
import type { Tool, ToolResult } from './tools/tool.ts'

export type Trial = Running & {
  events: Event[]
  asks: Ask[]
  of<K extends Kind>(kind: K): EventOf<K>[]
  /** Resolves when an event of this kind has come. */
  seen(kind: Kind): Promise<void>
}

type Options = Partial<BuiltinRequest> & { answer?: (ask: Ask) => Answer | undefined }

export async function trial(script: unknown, { answer = allow, ...more }: Options = {}): Promise<Trial> {
  const loaded = await loadScript(JSON.stringify(script), 'test')
  const chosen = { provider: 'test', id: 'model', model: createScripted(loaded, 'test'), callOptions: {}, priceAs: 'test/model' }
  const events: Event[] = []
  const asks: Ask[] = []
  const waiting: { kind: Kind; resolve(): void }[] = []
  const profile = { name: 'default', description: 'for tests' }
  const running: Running = startBuiltin(
    {
      session: 'ses_1',
      how: 'new',
      history: [],
      version: '0',
      model: chosen,
      chooseModel: () => Promise.resolve(chosen),
      profile,
      profiles: [profile],
      rules: [],
      system: 'system',
      tools: [echo],
      isOffered: () => true,
      skills: [],
      loadSkill: () => Promise.resolve({ body: '', files: [] }),
      context: {
        cwd: '/tmp',
        root: '/tmp',
        home: '/nowhere',
        env: {},
        outputFolder: '/nowhere',
        seen: new Map(),
        secretGlobs: [],
        isSecret: () => false,
        allowedHosts: () => false,
        now: Date.now,
      },
      conceal: (text) => text,
      findModel: () => undefined,
      apiRetries: 2,
      stream: true,
      ...more,
    },
    {
      now: Date.now,
      emit(told) {
        events.push(...told)
        for (const { kind } of told) for (const wait of waiting) if (wait.kind === kind) wait.resolve()
      },
      withdraw() {},
      raise(ask) {
        asks.push(ask)
        const said = answer(ask)
        if (said !== undefined) queueMicrotask(() => running.send({ type: 'permission', id: ask.id, answer: said }))
      },
    },
  )
  return {
    ...running,
    events,
    asks,
    of: <K extends Kind>(kind: K) => events.filter((event): event is EventOf<K> => event.kind === kind),
    seen: (kind) =>
      events.some((event) => event.kind === kind) ? Promise.resolve() : new Promise((resolve) => waiting.push({ kind, resolve })),
  }
}

/** One prompt, to the end. */
export async function whole(script: unknown, options?: Options): Promise<Trial> {
  const one = await trial(script, options)
  one.send({ type: 'prompt', text: 'go' })
  one.send({ type: 'finish' })
  await one.done
  return one
}

export const allow = (): Answer => ({ decision: 'allow', by: 'rule' })

export const toolOf = (name: string, run: (signal: AbortSignal) => Promise<ToolResult>, kind: Tool['kind'] = 'other'): Tool => ({
  name,
  kind,
  source: 'builtin',
  changes: true,
  description: name,
  parameters: { type: 'object' },
  plan: () => ({ title: name, ask: { permission: name, patterns: ['*'] }, run: ({ signal }) => run(signal) }),
})

export const echo: Tool = {
  ...toolOf('echo', () => Promise.resolve({ text: '' })),
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  plan: ({ text }) => ({ title: 'echo', ask: { permission: 'echo', patterns: ['*'] }, run: () => Promise.resolve({ text: String(text) }) }),
}

export const call = (name: string, input: Record<string, unknown> = {}) => ({ name, input })
