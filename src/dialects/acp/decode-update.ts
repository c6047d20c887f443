// `session/update`: what the agent says and does, and what it tells of its session.
import { isRecord } from '../../base/json.ts'
import type { Payload, Place } from '../../model/event.ts'
import type { DeltaKind } from '../../model/pen-state.ts'
import { contentOf, textOfBlock, textOfBlocks } from './content.ts'
import { announce, catalogOf, settingOf } from './decode-session.ts'
import { endReplayed, enter, type Reader, type Session } from './decode-state.ts'
import { laneOf, subagent } from './decode-task.ts'
import { toolCall, toolUpdate } from './decode-tool.ts'
import { lastWords, trouble } from './decode-trouble.ts'
import { at, str } from './words.ts'
import type { Update, Variant } from './wire.ts'

type Told = { on: Reader; session: Session; agent: string | undefined }
type Read<V extends Variant> = (told: Told, update: Update<V>) => void

// ── conversation ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Nine records in ten come this way. */
function chunk({ on, session, agent }: Told, update: Update<'agent_message_chunk'>, kind: DeltaKind): void {
  const { content, messageId, _meta: meta } = update
  const place: Place = { message: messageId ?? undefined, agent: meta === undefined ? agent : laneOf(on, session, meta, agent) }
  const text = textOfBlock(content)
  if (text === undefined) on.pen.emit('content.end', contentOf(content), place)
  else if (text === '') on.pen.raw(on.tag, 'redundant', place)
  else if (session.trouble.isOver && place.message === undefined && place.agent === undefined) lastWords(on, session, text)
  else {
    if (place.agent === undefined) session.speaking = place.message
    on.pen.emit(kind, { text }, place)
  }
}

/** In a history that is told again, the user's words begin the next turn. */
function userChunk({ on, session, agent }: Told, { content, messageId }: Update<'user_message_chunk'>): void {
  if (session.replaying && on.pen.openTurns() > session.prompts) endReplayed(on)
  const text = textOfBlock(content)
  const payload = { text, content: text === undefined ? [content] : undefined, by: 'user', state: 'seen', partial: true } as const
  on.pen.emit('prompt.submit', payload, { agent, message: messageId ?? undefined })
}

/** Between two sessions of one agent. The sender's own view of what it sent says nothing new. */
function sessionMessage({ on, agent }: Told, text: string | undefined, recipient: string | null | undefined, partial: boolean): void {
  if (text === undefined || (recipient && recipient !== (agent ?? on.current))) return on.pen.raw(on.tag, 'redundant', { agent })
  on.pen.emit('prompt.submit', { text, by: 'agent', state: 'seen', partial: partial ? true : undefined }, { agent })
}

// ── plans ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Entry = Payload<'plan.update'>['entries'][number]
const planStates: ReadonlyMap<string | undefined, Entry['status']> = new Map([
  ['in_progress', 'active'],
  ['completed', 'done'],
])
const entriesOf = (entries: Update<'plan'>['entries']): Entry[] =>
  entries.map(({ content = '', status, priority }) => ({ text: content, status: planStates.get(status) ?? 'pending', priority }))

function plan({ on, agent }: Told, { plan: { entries, content, uri } }: Update<'plan_update'>): void {
  if (entries !== undefined) return on.pen.emit('plan.update', { entries: entriesOf(entries) }, { agent })
  const text = content ?? uri // a plan in prose, or in a file
  if (text === undefined) on.pen.raw(on.tag, 'unmapped', { agent })
  else on.pen.emit('notice', { level: 'info', code: 'plan', text }, { agent })
}

// ── the session ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function usage({ on, session, agent }: Told, { used, size, cost }: Update<'usage_update'>): void {
  const dollars = cost?.currency === 'USD' ? cost.amount : undefined
  if (dollars !== undefined) session.cost = dollars
  on.pen.emit(
    'usage.update',
    {
      scope: 'session',
      cumulative: true,
      context: { used: Math.trunc(used), limit: Math.trunc(size) },
      cost: dollars === undefined ? undefined : { usd: dollars, by: 'source' },
    },
    { agent },
  )
}

/** Codex tells in `_meta` what it is doing, and what trouble it has. */
function sessionInfo({ on, session, agent }: Told, { title, _meta: meta }: Update<'session_info_update'>): void {
  if (str(title) !== undefined) return on.pen.emit('session.update', { title: str(title), by: 'agent' }, { agent })
  const error = at(at(meta, 'codex'), 'error')
  if (isRecord(error) && agent === undefined) return trouble(on, session, error)
  const status = at(at(meta, 'codex'), 'threadStatus')
  const flags = at(status, 'activeFlags')
  const isWaiting = Array.isArray(flags) && flags.some((flag) => typeof flag === 'string' && flag.startsWith('waiting'))
  const type = at(status, 'type')
  if (agent === undefined && (type === 'systemError' || type === 'active')) session.trouble.isOver = type === 'systemError'
  const phase = type === 'active' ? (isWaiting ? 'waiting' : 'working') : type === 'idle' ? 'idle' : undefined
  if (phase === undefined) on.pen.raw(on.tag, status === undefined ? 'unmapped' : 'redundant', { agent })
  else on.pen.emit('status.update', { phase, source: 'agent' }, { agent })
}

function configOptions({ on }: Told, update: Update<'config_option_update'>): void {
  const settings = { configOptions: update.configOptions }
  const [setting, catalog] = [settingOf(settings), catalogOf(settings)]
  if (setting !== undefined) on.pen.emit('session.update', { ...setting, by: 'agent' })
  if (catalog !== undefined) on.pen.emit('catalog.update', catalog)
  if (setting === undefined && catalog === undefined) on.pen.raw(on.tag, 'unmapped')
}

function compaction({ on, agent }: Told, { status, summary, error }: Update<'compaction_update'>): void {
  if (status === 'completed') on.pen.emit('context.trim', { why: 'compact', text: textOfBlocks(summary) }, { agent })
  else if (status === 'failed')
    on.pen.emit(
      'error',
      { scope: 'session', fatal: false, error: { category: 'unknown', text: error ?? 'compaction failed' }, source: 'compaction' },
      { agent },
    )
  else on.pen.emit('status.update', { phase: 'working', label: 'compaction', source: 'agent' }, { agent })
}

function notice({ on, agent }: Told, { severity, title, description }: Update<'notice'>): void {
  const text = description ? `${title}: ${description}` : title
  on.pen.emit('notice', { level: severity === 'warning' || severity === 'error' ? 'warn' : 'info', text }, { agent })
}

const readers: { readonly [V in Variant]: Read<V> } = {
  agent_message_chunk: (told, update) => chunk(told, update, 'text.delta'),
  agent_thought_chunk: (told, update) => chunk(told, update, 'thought.delta'),
  user_message_chunk: userChunk,
  tool_call: ({ on, session, agent }, update) => toolCall(on, session, update, agent),
  tool_call_update: ({ on, session, agent }, update) => toolUpdate(on, session, update, agent),
  plan: ({ on, agent }, { entries }) => on.pen.emit('plan.update', { entries: entriesOf(entries) }, { agent }),
  plan_update: plan,
  plan_removed: ({ on, agent }) => on.pen.emit('plan.update', { entries: [] }, { agent }),
  available_commands_update: ({ on }, { availableCommands }) =>
    on.pen.emit('catalog.update', {
      commands: availableCommands.map(({ name, description }) => ({ name, description: str(description) })),
    }),
  current_mode_update: ({ on }, { currentModeId: mode }) => on.pen.emit('session.update', { mode, by: 'agent' }),
  config_option_update: configOptions,
  session_info_update: sessionInfo,
  usage_update: usage,
  notice,
  compaction_update: compaction,
  compaction_summary_chunk: ({ on, agent }) => on.pen.raw(on.tag, 'unmapped', { agent }),
  subagent_update: ({ on, agent }, update) => subagent(on, update, agent),
  session_message: (told, { content, recipientSessionId }) => sessionMessage(told, textOfBlocks(content), recipientSessionId, false),
  session_message_chunk: (told, { content, recipientSessionId }) => sessionMessage(told, textOfBlock(content), recipientSessionId, true),
}
const readerOf = new Map(Object.entries(readers).map(([variant, read]) => [`session/update/${variant}`, read as Read<never>]))

export function sessionUpdate(on: Reader, { sessionId, update }: { sessionId: string; update: never }): void {
  if (!on.sessions.has(sessionId)) announce(on, sessionId)
  const { session, agent } = enter(on, sessionId, (update as Partial<Update<'tool_call'>>).toolCallId)
  const read = readerOf.get(on.tag)
  if (read === undefined) on.pen.raw(on.tag, 'unmapped', { agent })
  else read({ on, session, agent }, update)
}
