// What Claude's records cannot express. Its own session, turn, message and tool words fit ours; runs, phases, plans and
// reports to a supervisor have no record.
import type { LossTable } from '../contract.ts'

const drop = { how: 'drop' } as const
const exact = { how: 'exact' } as const

export const loss: LossTable = {
  'run.start': drop,
  'run.end': drop,
  'phase.start': drop,
  'phase.end': drop,
  'session.start': {
    how: 'exact',
    lost: ['provider', 'agentName', 'title', 'rules', 'schema', 'forkedFrom', 'how', 'label', 'run'],
    note: 'told by the init of the first turn, which can name no program but Claude Code: others are lost, and their versions',
  },
  'session.update': {
    how: 'approx',
    lost: ['provider', 'agentName', 'title', 'rules', 'length', 'how'],
    note: "the mode as a status, model and directory by the next init, the version if it is Claude Code's",
  },
  'session.end': {
    how: 'approx',
    lost: ['exitCode', 'signal', 'files', 'status'],
    note: 'a result for each open turn; a session without any gets one; tokens and cost beyond those of its results are lost',
  },
  'turn.start': { how: 'exact', lost: ['native'], note: 'the init' },
  'turn.end': { how: 'exact', note: 'the result; a reason that it has no word for becomes error, such a category of an error unknown' },
  'message.start': { how: 'exact', lost: ['provider', 'ttftMs'], note: 'with the first delta or block of the message' },
  'message.end': {
    how: 'exact',
    lost: ['provider', 'agentName'],
    note: 'its usage stands on each of its blocks; in a live run of another agent not on blocks before calls that run already',
  },
  'message.drop': { how: 'exact', note: 'message_stop with abandoned_blocks' },
  'text.delta': { how: 'exact', note: 'a stream_event; a subagent has none, its text is joined' },
  'text.end': { how: 'exact', lost: ['startedAt', 'endedAt'] },
  'thought.delta': exact,
  'thought.end': { how: 'exact', lost: ['startedAt', 'endedAt'] },
  'content.end': exact,
  'prompt.submit': { how: 'exact', lost: ['delivery', 'bytes'], note: 'a replayed user record' },
  'tool.start': { how: 'exact', lost: ['title', 'server', 'hostedBy'] },
  'tool.delta': { how: 'approx', note: 'pieces of input; output of a command in its result, stdout and stderr apart' },
  'tool.update': { how: 'approx', lost: ['title', 'content', 'paths'], note: 'the whole input, or a heartbeat' },
  'tool.end': {
    how: 'approx',
    lost: ['task', 'title'],
    note: 'denied, cancelled and abandoned are errors with their word as text',
  },
  'task.start': exact,
  'task.update': exact,
  'task.end': { how: 'exact', lost: ['usage'] },
  'permission.request': {
    how: 'approx',
    lost: ['permission', 'patterns', 'options', 'source'],
    note: 'can_use_tool; options beyond allow and deny travel as suggestions',
  },
  'permission.answer': {
    how: 'approx',
    lost: ['scope', 'rules'],
    note: 'an answer of the host, or permission_denied; a grant that nobody asked for has no record',
  },
  'question.request': { how: 'exact', note: 'can_use_tool of AskUserQuestion' },
  'question.answer': exact,
  'hook.start': exact,
  'hook.end': exact,
  'plan.update': drop,
  'file.update': drop,
  'skill.load': drop,
  'catalog.update': { how: 'approx', lost: ['models', 'modes'], note: 'by the next init' },
  'status.update': { how: 'approx', lost: ['source'], note: 'a state that goes on is not told again' },
  'usage.update': { how: 'approx', note: 'limits, thinking, and the context as /context tells it; other usage is in the result' },
  'context.trim': { how: 'approx', lost: ['text'], note: 'compact_boundary or conversation_reset' },
  'retry.start': {
    how: 'exact',
    note: 'api_retry: of its error the status and one word, text and code are lost; a retry of a whole run has no record',
  },
  'cancel.request': { how: 'exact', lost: ['text'] },
  report: drop,
  error: {
    how: 'approx',
    lost: ['source', 'model', 'data'],
    note: 'a fatal one in the result, others as informational',
  },
  notice: { how: 'approx', lost: ['data', 'code'], note: 'informational' },
  issue: drop,
  raw: drop,
}
