// Claude → events: one stream of stdout, of stdin, of both, or a transcript file. Each record type has one function; what is
// not listed here is kept as raw.
import { timeOfIso } from '../../base/time.ts'
import type { Rec } from '../../base/json.ts'
import type { Origin } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import type { DecoderBody } from '../contract.ts'
import { cancelRequest, canUseTool, controlResponse, hookCallback, interrupt, setMode, setModel, stopTask } from './decode-control.ts'
import { init } from './decode-init.ts'
import { assistant, user } from './decode-message.ts'
import { result, unreadable } from './decode-result.ts'
import { most, newSession, put, type Reader, type Session } from './decode-state.ts'
import { streamEvent } from './decode-stream.ts'
import {
  apiRetry,
  commandsChanged,
  compactBoundary,
  conversationReset,
  filesPersisted,
  hookResponse,
  hookStarted,
  note,
  permissionDenied,
  rateLimit,
  sessionState,
  status,
  thinkingTokens,
  toolProgress,
} from './decode-system.ts'
import { taskNotification, taskProgress, taskStarted, taskUpdated } from './decode-task.ts'
import {
  apiError,
  attachment,
  costState,
  endTranscript,
  mode,
  permissionMode,
  queueOperation,
  title,
  transcriptOf,
  turnDuration,
} from './decode-transcript.ts'
import { str } from './values.ts'
import type { Tag, Wire } from './wire.ts'

type Read<T extends Tag> = (on: Reader, record: Wire<T>) => void

const readers: { readonly [T in Tag]?: Read<T> } = {
  assistant,
  user,
  stream_event: streamEvent,
  result,
  'result/success': result,
  'result/error_during_execution': result,
  'result/error_max_turns': result,
  'result/error_max_budget_usd': result,
  'result/error_max_structured_output_retries': result,

  'system/init': init,
  'system/status': status,
  'system/session_state_changed': sessionState,
  'system/api_retry': apiRetry,
  'system/permission_denied': permissionDenied,
  'system/thinking_tokens': thinkingTokens,
  'system/task_started': taskStarted,
  'system/task_progress': taskProgress,
  'system/task_updated': taskUpdated,
  'system/task_notification': taskNotification,
  'system/compact_boundary': compactBoundary,
  'system/hook_started': (on, record) => hookStarted(on, record),
  'system/hook_response': hookResponse,
  'system/hook_progress': note,
  'system/informational': note,
  'system/notification': note,
  'system/model_fallback': note,
  'system/model_refusal_fallback': note,
  'system/model_refusal_no_fallback': note,
  'system/local_command_output': note,
  'system/memory_recall': note,
  'system/mirror_error': note,
  'system/worker_shutting_down': note,
  'system/elicitation_complete': note,
  'system/plugin_install': note,
  'system/code_change_published': note,
  'system/vcs_state_changed': note,
  'system/files_persisted': filesPersisted,
  'system/commands_changed': commandsChanged,
  tool_progress: toolProgress,
  rate_limit_event: rateLimit,
  prompt_suggestion: note,
  tool_use_summary: note,
  auth_status: note,
  conversation_reset: conversationReset,

  'control_request/can_use_tool': canUseTool,
  'control_request/hook_callback': hookCallback,
  'control_request/interrupt': interrupt,
  'control_request/stop_task': stopTask,
  'control_request/set_model': setModel,
  'control_request/set_permission_mode': setMode,
  control_response: controlResponse,
  control_cancel_request: cancelRequest,

  'system/api_error': apiError,
  'system/local_command': note,
  'system/stop_hook_summary': note,
  'system/turn_duration': turnDuration,
  attachment,
  'queue-operation': queueOperation,
  mode,
  'permission-mode': permissionMode,
  summary: title,
  'custom-title': title,
  'ai-title': title,
  'cost-state': costState,
}
// The check of its tag has passed, so the record is what its reader takes.
const readerOf = new Map(Object.entries(readers)) as unknown as ReadonlyMap<string, (on: Reader, record: Rec) => void>

/** Says nothing that other records do not say as well. */
const redundant: ReadonlySet<string> = new Set<Tag>([
  'system/background_tasks_changed',
  'keep_alive',
  'last-prompt',
  'tools-used',
  'system/control_request_progress',
])

export function decode(pen: Pen): DecoderBody {
  const sessions = new Map<string | undefined, Session>()
  let current: string | undefined
  let lastId: string | undefined // as the records spell it
  let adopted: string | undefined

  let recentId: string | undefined
  let recent: Session | undefined // most records are of the session that the last one was of

  function sessionAt(id: string | undefined): Session {
    if (recent !== undefined && recentId === id) return recent
    recentId = id
    recent = sessions.get(id)
    if (recent === undefined) put(sessions, id, (recent = newSession()), most.sessions)
    return recent
  }

  /** A host speaks before it knows the session's id: what began without one goes on when the agent tells it. */
  function keyOf(id: string): string | undefined {
    if (adopted === undefined && sessions.has(undefined) && !sessions.has(id)) {
      pen.common({})
      if (pen.isStarted()) adopted = id
    }
    return id === adopted ? undefined : id
  }

  /** Control records name no session: the question or call they are about does, else the session that spoke last. */
  function controlSession(record: Rec): string | undefined {
    const { request, response } = record as { request?: { tool_use_id?: unknown }; response?: { request_id?: unknown } }
    const ask = str(response?.request_id) ?? str(record['request_id']) ?? ''
    const call = str(request?.tool_use_id) ?? ''
    if (sessions.size > 1) for (const [id, session] of sessions) if (session.asks.has(ask) || session.calls.has(call)) return id
    return current
  }

  const on: Reader = { pen, session: newSession(), origin: undefined as never, tag: '', made: 0 }

  function begin(record: Rec, tag: string, origin: Origin): void {
    const stored = str(record['sessionId']) // as a transcript spells it
    const id = str(record['session_id']) || stored
    if (id && id !== lastId) current = keyOf((lastId = id))
    const session = !id && tag.startsWith('control_') ? controlSession(record) : current
    on.session = sessionAt(session)
    on.origin = origin
    const named = tag === 'stream_event' ? undefined : str(record['uuid']) // pieces of a text may come together, under one origin
    if (named) origin.id = named
    on.tag = tag
    if (stored !== undefined) transcriptOf(on)
    pen.common({ at: timeOfIso(record['timestamp']), session })
  }

  return {
    push(record: Rec, tag: string, origin) {
      begin(record, tag, origin)
      const read = readerOf.get(tag)
      if (read !== undefined) read(on, record)
      else pen.raw(tag, redundant.has(tag) ? 'redundant' : 'unmapped')
    },
    bad(record, tag, origin) {
      if (!tag.startsWith('result')) return
      begin(record, tag, origin)
      unreadable(on, record)
    },
    end() {
      for (const [id, session] of sessions) {
        on.session = session
        pen.common({ at: pen.lastAtOf(id), session: id })
        endTranscript(on)
      }
    },
  }
}
