// What the agent's side of the protocol cannot express. Only what every client must understand is written: notices, compactions,
// subagents and forms are for clients that have asked for them, and there is nobody to ask. What a host says is not the agent's word.
import type { LossTable } from '../contract.ts'

const drop = { how: 'drop' } as const
const hosts = { how: 'drop', note: 'said by the host' } as const

export const loss: LossTable = {
  'run.start': drop,
  'run.end': drop,
  'phase.start': drop,
  'phase.end': drop,
  'session.start': {
    how: 'approx',
    lost: ['how', 'forkedFrom', 'label', 'run', 'native', 'program', 'version', 'provider', 'agentName', 'cwd', 'rules', 'schema'],
    note: 'title, mode and model as updates; the rest stands in the answers to initialize and session/new, which are not written',
  },
  'session.update': {
    how: 'approx',
    lost: ['by', 'how', 'length', 'native', 'program', 'version', 'provider', 'agentName', 'cwd', 'rules', 'schema'],
    note: 'session_info_update, current_mode_update, config_option_update',
  },
  'session.end': {
    how: 'approx',
    lost: ['native', 'exitCode', 'signal', 'durationMs', 'usage', 'cost', 'text', 'status', 'files'],
    note: 'a session is over when its last prompt is answered',
  },
  'turn.start': { how: 'approx', lost: ['trigger'], note: 'its native id is that of the answer' },
  'turn.end': {
    how: 'approx',
    lost: ['text', 'data', 'own', 'byModel', 'durationMs', 'apiMs', 'steps', 'denied', 'failed'],
    note: 'the answer to session/prompt; what is no stop reason of the protocol is an error',
  },
  'message.start': drop,
  'message.end': {
    how: 'approx',
    lost: ['finish', 'model', 'provider', 'agentName', 'usageFinal', 'error'],
    note: 'usage_update where the size of the context is known; its usage counts when the turn tells none',
  },
  'message.drop': { how: 'drop', note: 'withdrawn text was already told' },
  'text.delta': { how: 'exact' },
  'text.end': { how: 'exact', lost: ['startedAt', 'endedAt'], note: 'a chunk, if its deltas were not told' },
  'thought.delta': { how: 'exact' },
  'thought.end': { how: 'exact', lost: ['startedAt', 'endedAt', 'redacted', 'signature'], note: 'a chunk, if its deltas were not told' },
  'content.end': { how: 'approx', note: 'images, audio, links and resources' },
  'prompt.submit': { how: 'approx', lost: ['id', 'delivery', 'bytes'], note: 'user_message_chunk; not what the agent tells itself' },
  'tool.start': {
    how: 'exact',
    lost: ['agent', 'message', 'server', 'hostedBy'],
    note: 'a call of a subagent names the call that started it',
  },
  'tool.delta': { how: 'drop', note: 'the whole output stands at the end of the call' },
  'tool.update': { how: 'exact', lost: ['agent', 'toolKind', 'elapsedMs'] },
  'tool.end': {
    how: 'approx',
    lost: ['agent', 'toolKind', 'startedAt', 'endedAt', 'durationMs', 'task', 'permitted'],
    note: 'completed or failed',
  },
  'task.start': {
    how: 'approx',
    lost: ['title', 'agentType', 'model', 'background', 'prompt', 'depth'],
    note: 'the calls of the subagent name the call that started it',
  },
  'task.update': drop,
  'task.end': drop,
  'permission.request': {
    how: 'approx',
    lost: ['agent', 'permission', 'patterns', 'suggestions', 'needsUser', 'source'],
    note: 'about a call that is open; for a session and for ever are the same',
  },
  'permission.answer': hosts,
  'question.request': drop,
  'question.answer': hosts,
  'hook.start': drop,
  'hook.end': drop,
  'plan.update': { how: 'exact', lost: ['title'] },
  'file.update': drop,
  'skill.load': drop,
  'catalog.update': {
    how: 'approx',
    lost: ['tools', 'skills', 'servers', 'agents', 'models', 'modes', 'plugins'],
    note: 'available_commands_update',
  },
  'status.update': drop,
  'usage.update': { how: 'approx', lost: ['usage', 'limits'], note: 'usage_update, where the size of the context is known' },
  'context.trim': drop,
  'retry.start': drop,
  'cancel.request': hosts,
  report: drop,
  error: { how: 'approx', lost: ['source', 'model', 'data'], note: 'one that ends its turn is the answer to the prompt; others are lost' },
  notice: drop,
  issue: drop,
  raw: drop,
}
