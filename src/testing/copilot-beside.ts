// Records of Copilot that stand beside the conversation, whole or in pairs; newer versions have many.
import type { Rec } from '../base/json.ts'
import { restTypes } from '../dialects/copilot/rest.ts'
import type { Make, Where } from './copilot.ts'
import type { Random } from './random.ts'
import { objectOf, textOf } from './words.ts'

const rest = [...restTypes]

type Told = readonly [type: string, data: Rec, where?: Where]

/** One or two records that may stand anywhere between the others. */
export function besideOf(random: Random, make: Make): Rec[] {
  const requestId = random.uuid()
  const toolCallId = `toolu_${random.hex(8)}`
  const text = textOf(random)
  const choices: readonly (readonly Told[])[] = [
    [[random.pick(rest), objectOf(random, 1)]],
    [['assistant.intent', { intent: text }, 'e']],
    [['session.info', { infoType: 'note', message: text }, 'e']],
    [['session.warning', { warningType: 'policy', message: text }]],
    [['system.notification', { content: text, kind: { type: 'shell_completed', shellId: '0', exitCode: 0 } }]],
    [['session.task_complete', { summary: text }]],
    [['session.workspace_file_changed', { path: 'a/ü.md', operation: random.pick(['create', 'update']) }]],
    [['session.usage_info', { tokenLimit: 168_000, currentTokens: random.int(0, 99_999), messagesLength: 3 }, 'e']],
    [['session.truncation', { tokenLimit: 168_000, preTruncationTokensInMessages: 900, postTruncationTokensInMessages: 100 }]],
    [
      ['session.compaction_start', {}],
      ['session.compaction_complete', { success: random.chance(0.7), preCompactionTokens: 900, summaryContent: text, trigger: 'manual' }],
    ],
    [['session.context_cleared', {}]],
    [['session_limits_exhausted.requested', { requestId, maxAiCredits: 10, usedAiCredits: 10 }, 'e']],
    [['session.model_change', { previousModel: 'a', newModel: 'gpt-5.5' }]],
    [['session.mode_changed', { previousMode: 'interactive', newMode: 'plan' }]],
    [['session.title_changed', { title: text }, 'e']],
    [['session.context_changed', { cwd: '/home/dev/a b', branch: 'main' }]],
    [['session.custom_agents_updated', { agents: [{ name: 'reviewer', description: text }], warnings: [text], errors: [] }, 'e']],
    [['session.mcp_server_status_changed', { serverName: 'echo', status: 'failed', error: text }, 'e']],
    [['commands.changed', { commands: [{ name: 'compact', description: text }] }, 'e']],
    [['skill.invoked', { name: 'greet', path: '/home/dev/skills/greet/SKILL.md', content: text }]],
    [
      ['subagent.selected', { agentName: 'reviewer', agentDisplayName: 'Reviewer', tools: null }],
      ['subagent.deselected', {}],
    ],
    [['hook.progress', { message: text }, 'e']],
    [
      ['tool.user_requested', { toolCallId, toolName: 'bash', arguments: { command: 'ls' } }],
      ['tool.execution_start', { toolCallId, toolName: 'bash', arguments: { command: 'ls' } }],
      ['tool.execution_progress', { toolCallId, progressMessage: text }, 'e'],
      ['tool.execution_complete', { toolCallId, success: true, isUserRequested: true, result: { content: text } }],
    ],
    [
      ['tool.execution_start', { toolCallId, toolName: 'host_say', arguments: { text } }],
      ['external_tool.requested', { requestId, sessionId: 's', toolCallId, toolName: 'host_say', arguments: { text } }, 'e'],
      ['external_tool.completed', { requestId }, 'e'],
      ['tool.execution_complete', { toolCallId, success: true, result: { content: text } }],
    ],
    [
      ['user_input.requested', { requestId, question: text, choices: ['yes', 'no'] }, 'e'],
      ['user_input.completed', { requestId, answer: 'yes' }, 'e'],
    ],
    [
      ['elicitation.requested', { requestId, message: text, requestedSchema: { type: 'object', properties: {} } }, 'e'],
      ['elicitation.completed', { requestId, action: random.pick(['accept', 'decline', 'cancel']) }, 'e'],
    ],
    [
      ['exit_plan_mode.requested', { requestId, summary: text, planContent: text, actions: ['interactive', 'exit_only'] }, 'e'],
      ['exit_plan_mode.completed', { requestId, approved: random.chance(0.7), selectedAction: 'interactive' }, 'e'],
    ],
  ]
  return random.pick(choices).flatMap(([type, data, where]) => make(type, data, where))
}
