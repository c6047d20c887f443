// Sessions: how they begin, what they are set to, how they end. A session is known by the answer to `session/new`; to `session/load`
// the agent tells the whole history before it answers.
import { isRawJson, stringifyJson } from '../../base/json.ts'
import type { Payload } from '../../model/event.ts'
import { endReplayed, enter, type Reader, type Request } from './decode-state.ts'
import { noTrouble } from './decode-trouble.ts'
import { str } from './words.ts'
import type { Params, Settings } from './wire.ts'
import { textOfBlocks } from './content.ts'

// ── settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Config = NonNullable<Settings['configOptions']>[number]
type Named = { name: string; description: string | undefined }

const configOf = ({ configOptions }: Settings, category: string): Config | undefined =>
  configOptions?.find((config) => (config.category ?? config.id) === category)

/** Mode and model, from the lists made for them or from the options that newer agents have instead. */
export function settingOf(settings: Settings): { mode: string | undefined; model: string | undefined } | undefined {
  const mode = str(settings.modes?.currentModeId) ?? str(configOf(settings, 'mode')?.currentValue)
  const model = str(settings.models?.currentModelId) ?? str(configOf(settings, 'model')?.currentValue)
  return mode === undefined && model === undefined ? undefined : { mode, model }
}

export function catalogOf(settings: Settings): Payload<'catalog.update'> | undefined {
  const modes = settings.modes?.availableModes?.map(({ id, name, description }) => named(id ?? name, description))
  const models = settings.models?.availableModels?.map(({ modelId, name, description }) => named(modelId ?? name, description))
  const catalog = { modes: modes ?? choices(configOf(settings, 'mode')), models: models ?? choices(configOf(settings, 'model')) }
  return catalog.modes === undefined && catalog.models === undefined ? undefined : catalog
}

const choices = (config: Config | undefined): Named[] | undefined =>
  config?.options?.flatMap((choice) => choice.options ?? [choice]).map(({ value, name, description }) => named(value ?? name, description))

const named = (name: string | undefined, description: string | null | undefined): Named => ({
  name: name ?? '',
  description: description ?? undefined,
})

// ── its beginning ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The history comes before the answer, so the session begins with the request. */
export function sessionLoad(on: Reader, id: unknown, { sessionId, cwd }: Params<'session/load'>): void {
  const { session } = enter(on, sessionId)
  session.replaying = true
  on.pen.emit('session.start', { how: 'resumed', program: on.program, version: on.version, cwd })
  on.requests.add('host', id, { method: 'session/load', session: on.current })
}

const ways = { 'session/new': 'new', 'session/fork': 'forked', 'session/resume': 'resumed' } as const
const isWay = (method: string | undefined): method is keyof typeof ways => method !== undefined && Object.hasOwn(ways, method)

/** Some agents speak of a new session before they have answered the request for it. */
export function announce(on: Reader, sessionId: string): void {
  if (on.lanes.has(sessionId)) return
  const request = [...on.requests.of('host').values()].find(({ method }) => method === 'session/new')
  if (request === undefined) return
  enter(on, sessionId).session.spent = 0
  on.pen.emit('session.start', { how: 'new', program: on.program, version: on.version, cwd: request.cwd })
}

/** Without a request there is no telling how the session came to be, but for its id: only a new one is told. */
export function sessionOpened(on: Reader, request: Request | undefined, settings: Settings): void {
  const method = request?.method
  const id = str(settings.sessionId) ?? (method === 'session/fork' ? undefined : request?.session) ?? on.current
  const { session } = enter(on, id)
  const [setting, catalog] = [settingOf(settings), catalogOf(settings)]
  on.fault = undefined
  if ((session.replaying || method === undefined) && on.pen.openTurns() > session.prompts) endReplayed(on)
  session.replaying = false
  if (method === 'session/load' || (method === undefined && settings.sessionId === undefined)) {
    if (setting !== undefined) on.pen.emit('session.update', { ...setting, by: 'agent' })
    else if (catalog === undefined) on.pen.raw(on.tag, 'redundant')
  } else {
    const how = isWay(method) ? ways[method] : undefined
    if (how !== 'resumed') session.spent = 0
    const forkedFrom = how === 'forked' ? request?.session : undefined
    on.pen.emit('session.start', { how, forkedFrom, program: on.program, version: on.version, cwd: request?.cwd, ...setting })
  }
  if (catalog !== undefined) on.pen.emit('catalog.update', catalog)
}

// ── while it lasts ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function prompt(on: Reader, id: unknown, { sessionId, prompt: blocks, messageId }: Params<'session/prompt'>): void {
  const { session, agent } = enter(on, sessionId)
  const text = textOfBlocks(blocks)
  const content = blocks.some(({ text: told }) => told === undefined) ? (blocks as unknown[]) : undefined
  const submitted = { text, content, by: 'user', state: 'sent' } as const
  const place = { agent, message: messageId ?? undefined }
  on.requests.add('host', id, { begun: on.t, method: 'session/prompt', session: on.current, agent })
  if (agent !== undefined) return on.pen.emit('prompt.submit', submitted, place) // a turn of a child session is none of its root
  if (on.pen.openTurns() > session.prompts) endReplayed(on)
  session.prompts++
  session.trouble = noTrouble()
  session.prompted = true
  on.pen.emit('turn.start', { trigger: 'prompt', native: nativeOf(id) })
  on.pen.emit('prompt.submit', submitted, place)
}

/** The id of the request is what the turn's end is known by. */
const nativeOf = (id: unknown): string | undefined => (typeof id === 'number' || isRawJson(id) ? stringifyJson(id) : str(id))

/** The host closed it. */
export function sessionClosed(on: Reader, request: Request): void {
  const { session } = enter(on, request.session)
  const reason = on.pen.openTurns() > 0 ? 'cancelled' : (session.reason ?? 'exit')
  on.pen.emit('session.end', { reason })
  on.sessions.delete(on.current)
  for (const [child, lane] of on.lanes) if (lane.session === on.current) on.lanes.delete(child)
}
