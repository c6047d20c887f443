// What aictrl cannot express. It tells whole texts and ended tools, tokens by message and one end; no deltas, no prompts, no
// questions, nothing of how a host drives the agent.
import type { LossTable } from '../contract.ts'

const drop = { how: 'drop' } as const

export const loss: LossTable = {
  'run.start': { how: 'drop', note: 'invocation records are read, not written' },
  'run.end': drop,
  'phase.start': drop,
  'phase.end': drop,
  'session.start': { how: 'exact', lost: ['how', 'forkedFrom', 'label', 'run', 'program', 'version', 'cwd', 'mode', 'title'] },
  'session.update': {
    how: 'approx',
    lost: ['how', 'length', 'program', 'version', 'cwd', 'mode', 'title'],
    note: 'into session_start while no turn has begun; later only the model, with its messages',
  },
  'session.end': {
    how: 'exact',
    lost: ['native', 'exitCode', 'cost', 'text', 'status', 'files'],
    note: 'usage with its last message, if that is not told yet; SIGINT, SIGTERM, SIGHUP and SIGQUIT as code of a session_error',
  },
  'turn.start': {
    how: 'exact',
    lost: ['native'],
    note: 'a session is one chain of messages; its turns are not marked',
  },
  'turn.end': {
    how: 'approx',
    lost: ['data', 'byModel', 'cost', 'apiMs', 'steps', 'failed'],
    note: 'ends the last message, which takes the tokens that no other has; a failure is an error record; durationMs where no times are told',
  },
  'message.start': { how: 'exact', lost: ['message', 'ttftMs'], note: 'step_start' },
  'message.end': { how: 'exact', note: 'step_finish and message_complete; a context without limit is null' },
  'message.drop': { how: 'approx', note: 'text that was still streaming is left out, ended text stays' },
  'text.delta': { how: 'exact', note: 'joined' },
  'text.end': { how: 'exact', lost: ['message'] },
  'thought.delta': { how: 'exact', note: 'joined' },
  'thought.end': { how: 'exact', lost: ['message', 'redacted', 'signature'] },
  'content.end': drop,
  'prompt.submit': drop,
  'tool.start': { how: 'exact', lost: ['message', 'server', 'paths', 'hostedBy'], note: 'told with its end' },
  'tool.delta': drop,
  'tool.update': {
    how: 'approx',
    lost: ['content', 'paths', 'elapsedMs'],
    note: 'the input and title that it tells; the state is not told',
  },
  'tool.end': {
    how: 'approx',
    lost: ['task', 'permitted'],
    note: 'denied, cancelled and abandoned become error; the text, or the structure as text',
  },
  'task.start': {
    how: 'approx',
    lost: ['model', 'background', 'prompt', 'depth', 'call'],
    note: 'of subagents; not of commands',
  },
  'task.update': drop,
  'task.end': {
    how: 'approx',
    lost: ['text', 'tokens', 'usage', 'file'],
    note: 'of subagents; a failed one as error too',
  },
  'permission.request': {
    how: 'approx',
    lost: ['question', 'options', 'suggestions', 'needsUser', 'source'],
    note: 'told with its answer',
  },
  'permission.answer': {
    how: 'approx',
    lost: ['option', 'scope', 'text', 'stop', 'rules'],
    note: 'granted or rejected, whoever decided',
  },
  'question.request': drop,
  'question.answer': drop,
  'hook.start': drop,
  'hook.end': drop,
  'plan.update': drop,
  'file.update': drop,
  'skill.load': { how: 'exact', note: 'left out when its description or place is not known' },
  'catalog.update': {
    how: 'approx',
    lost: ['commands', 'agents', 'models', 'modes', 'plugins'],
    note: 'tools and skills, when told before the first turn; a failed server as error',
  },
  'status.update': drop,
  'usage.update': drop,
  'context.trim': drop,
  'retry.start': { how: 'approx', lost: ['attempt', 'max', 'delayMs'], note: 'the error that is retried, of a call of the model' },
  'cancel.request': drop,
  report: drop,
  error: { how: 'exact', lost: ['source', 'model', 'data'], note: 'a fatal one also as session_error, before the end' },
  notice: drop,
  issue: drop,
  raw: drop,
}
