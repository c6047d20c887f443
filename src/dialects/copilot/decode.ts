// Copilot → events: the lines of stdout or of a session file. Each record type has one function; what is not listed here is kept
// as raw. No record but the first and the last names its session, so sessions can only follow one another.
import { timeOfIso } from '../../base/time.ts'
import type { Rec } from '../../base/json.ts'
import type { Pen } from '../../model/pen.ts'
import type { DecoderBody } from '../contract.ts'
import {
  agentsUpdated,
  commandsChanged,
  compactionComplete,
  compactionStart,
  contextChanged,
  contextCleared,
  elicitationCompleted,
  elicitationRequested,
  fileChanged,
  hookEnd,
  hookProgress,
  hookStart,
  info,
  inputCompleted,
  inputRequested,
  intent,
  limitsExhausted,
  modeChanged,
  modelChange,
  notification,
  planCompleted,
  planRequested,
  serverChanged,
  serversLoaded,
  skillInvoked,
  skillsLoaded,
  taskComplete,
  titleChanged,
  toolsUpdated,
  truncation,
  usageInfo,
  warning,
} from './decode-beside.ts'
import {
  assistantMessage,
  assistantUsage,
  callFailure,
  callFinished,
  callStart,
  messageDelta,
  reasoning,
  reasoningDelta,
  turnEnd,
  turnRetry,
  turnStart,
  usageRecord,
} from './decode-message.ts'
import {
  abort,
  closeSession,
  idle,
  interrupted,
  openSession,
  result,
  sessionError,
  sessionResume,
  sessionStart,
  shutdown,
  userMessage,
} from './decode-session.ts'
import { type Envelope, newSession, type Reader } from './decode-state.ts'
import { subagentConfigured, subagentEnded, subagentSelected, subagentStarted } from './decode-task.ts'
import {
  callDelta,
  executionComplete,
  executionStart,
  externalTool,
  partialResult,
  permissionCompleted,
  permissionRequested,
  progress,
  shellOutput,
  userRequested,
} from './decode-tool.ts'
import type { Tag, Wire } from './wire.ts'

type Read<T extends Tag> = (on: Reader, record: Wire<T>) => void

const readers: { readonly [T in Tag]?: Read<T> } = {
  'user.message': userMessage,
  'assistant.turn_start': turnStart,
  'assistant.turn_end': turnEnd,
  'assistant.turn_retry': turnRetry,
  'assistant.idle': idle,
  'assistant.intent': intent,
  'assistant.message_delta': messageDelta,
  'assistant.message': assistantMessage,
  'assistant.reasoning_delta': reasoningDelta,
  'assistant.reasoning': reasoning,
  'assistant.tool_call_delta': callDelta,
  'assistant.usage': assistantUsage,
  'model.call_start': callStart,
  'model.call_failure': callFailure,
  'model.call_finished': callFinished,
  abort,
  'agent.interrupted': interrupted,

  'tool.user_requested': userRequested,
  'tool.execution_start': executionStart,
  'tool.execution_partial_result': partialResult,
  'tool.execution_progress': progress,
  'tool.shell_output': shellOutput,
  'tool.execution_complete': executionComplete,
  'external_tool.requested': externalTool,
  'permission.requested': permissionRequested,
  'permission.completed': permissionCompleted,
  'user_input.requested': inputRequested,
  'user_input.completed': inputCompleted,
  'elicitation.requested': elicitationRequested,
  'elicitation.completed': elicitationCompleted,
  'exit_plan_mode.requested': planRequested,
  'exit_plan_mode.completed': planCompleted,

  'subagent.started': subagentStarted,
  'subagent.configured': subagentConfigured,
  'subagent.selected': subagentSelected,
  'subagent.completed': subagentEnded,
  'subagent.failed': subagentEnded,

  'session.start': sessionStart,
  'session.resume': sessionResume,
  'session.shutdown': shutdown,
  'session.usage_record': usageRecord,
  'session.idle': idle,
  'session.error': sessionError,
  'session.tools_updated': toolsUpdated,
  'session.model_change': modelChange,
  'session.mode_changed': modeChanged,
  'session.title_changed': titleChanged,
  'session.context_changed': contextChanged,
  'session.skills_loaded': skillsLoaded,
  'session.mcp_servers_loaded': serversLoaded,
  'session.mcp_server_status_changed': serverChanged,
  'session.custom_agents_updated': agentsUpdated,
  'commands.changed': commandsChanged,
  'skill.invoked': skillInvoked,

  'session.info': info,
  'session.warning': warning,
  'system.notification': notification,
  'session.task_complete': taskComplete,
  'session.workspace_file_changed': fileChanged,
  'session.usage_info': usageInfo,
  'session.truncation': truncation,
  'session.compaction_start': compactionStart,
  'session.compaction_complete': compactionComplete,
  'session.context_cleared': contextCleared,
  'session_limits_exhausted.requested': limitsExhausted,
  'hook.start': hookStart,
  'hook.progress': hookProgress,
  'hook.end': hookEnd,
}
// The check of its tag has passed, so the record is what its reader takes.
const readerOf = new Map(Object.entries(readers)) as unknown as ReadonlyMap<string, (on: Reader, record: Envelope) => void>

/** Says nothing that other records do not say as well. */
const redundant: ReadonlySet<string> = new Set([
  'assistant.message_start',
  'assistant.streaming_delta',
  'model.call_final_result',
  'external_tool.completed',
  'session.background_tasks_changed',
  'pending_messages.modified',
])

export function decode(pen: Pen): DecoderBody {
  const on: Reader = { pen, session: newSession(undefined), record: undefined as never, tag: '', at: undefined }
  let open = false // on.session is; else it is the last one
  let inFile = false // the last session ended with a shutdown: its file may go on

  /** Chooses the session of the record. */
  function enter({ id, data }: Envelope, tag: string): void {
    if (tag === 'session.start') {
      const { sessionId: native } = data as Wire<'session.start'>['data']
      const { session } = on
      const isSame = open && (session.native === native || (session.native === undefined && pen.openTurns(session.key) === 0))
      if (!isSame) {
        if (open) closeSession(on)
        on.session = newSession(native, native, pen.isEnded(native))
      }
      on.session.native = native
    } else if (!open && inFile) on.session = newSession(on.session.key, on.session.native, true)
    else if (!open) openSession(on, id === undefined ? undefined : `~${id}`)
    open = true
  }

  function end(): void {
    open = false
    inFile = on.tag !== 'result'
  }

  /** Only stdout has it, and nothing follows it. */
  function endRun(record: Wire<'result'>): void {
    if (!open && on.session.native === record.sessionId) {
      pen.common({ at: on.at, session: on.session.key })
      return pen.raw(on.tag, 'redundant')
    }
    if (!open) openSession(on, record.sessionId)
    on.session.native = record.sessionId
    pen.common({ at: on.at, session: on.session.key })
    result(on, record)
    end()
  }

  return {
    place: ({ timestamp }) => ({
      at: typeof timestamp === 'string' ? timeOfIso(timestamp) : undefined,
      session: open ? on.session.key : undefined,
    }),
    push(rec: Rec, tag: string) {
      const record = rec as Envelope // of known type and right shape
      on.tag = tag
      on.at = timeOfIso(record.timestamp)
      if (tag === 'result') return endRun(rec as Wire<'result'>)
      on.record = record
      if (!open || tag === 'session.start') enter(record, tag)
      pen.common({ at: on.at, session: on.session.key })
      if (rec['ephemeral'] === true) on.session.live = true
      const read = readerOf.get(tag)
      if (read === undefined) pen.raw(record.type, redundant.has(record.type) ? 'redundant' : 'unmapped')
      else read(on, record)
      if (tag === 'session.shutdown') end()
    },
    end() {
      if (open) closeSession(on)
    },
  }
}
