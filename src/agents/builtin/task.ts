// The tool `task`: a subagent with a conversation of its own, in a lane of the same stream. It ends with the turn that began it, and
// what it may do is asked like everything else.
import { nearest } from '../../base/nearest.ts'
import { quoted } from '../../base/text.ts'
import { newId } from './id.ts'
import { createConversation } from './model/conversation.ts'
import { type Profile, systemFor } from './request.ts'
import { type Lane, nothingSpent, type Session } from './session.ts'
import { type Tool, ToolError } from './tools/tool.ts'
import { work } from './work.ts'

const deepest = 3
/** For one prompt: subagents that start subagents soon are many. */
const most = 100

/** `lane` is the one that calls the tool; `start` makes the lane of a subagent. */
export function taskTool(session: Session, lane: Lane, start: (lane: Lane) => void): Tool {
  const { request } = session
  const names = request.profiles.map(({ name }) => name)
  const listed = request.profiles.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  return {
    name: 'task',
    kind: 'task',
    source: 'builtin',
    changes: false,
    description: `Gives a piece of work to a subagent, which works alone and reports back. Say all it must know: it does not see this conversation.\nAgents:\n${listed}`,
    parameters: taskParameters(names),
    plan(input) {
      const type = String(input['subagent_type'])
      const profile = request.profiles.find(({ name }) => name === type)
      if (profile === undefined) {
        const near = nearest(type, names)
        throw new ToolError(`there is no agent ${quoted(type)}${near === undefined ? '' : `; did you mean ${near}?`} (${names.join(', ')})`)
      }
      if (lane.depth >= deepest) throw new ToolError(`subagents may be nested ${deepest} deep; do this work yourself`)
      const earlier = typeof input['task_id'] === 'string' ? input['task_id'] : undefined
      if (earlier !== undefined && !isKnown(session, earlier)) throw new ToolError(`there is no earlier subagent ${quoted(earlier)}`)
      if (earlier !== undefined && session.busy.has(earlier))
        throw new ToolError(`the subagent ${quoted(earlier)} is still at work; wait for its report before you give it more`)
      if (session.turn.tasks >= most) throw new ToolError(`${most} subagents have been started for this prompt; do this work yourself`)
      const title = String(input['description'])
      return {
        title,
        ask: { permission: 'task', patterns: [type] },
        run: ({ call, signal }) => run(session, lane, start, { profile, title, prompt: String(input['prompt']), earlier, call, signal }),
      }
    },
  }
}

type Task = { profile: Profile; title: string; prompt: string; earlier: string | undefined; call: string; signal: AbortSignal }

async function run(session: Session, parent: Lane, start: (lane: Lane) => void, { profile, title, prompt, earlier, call, signal }: Task) {
  const { request, host } = session
  const task = earlier ?? newId('ses', host.now())
  if (session.busy.has(task)) throw new ToolError(`the subagent ${quoted(task)} is still at work`) // two calls of one answer
  if (++session.turn.tasks > most) throw new ToolError(`${most} subagents have been started for this prompt; do this work yourself`)
  const model = profile.model === undefined ? parent.model : await request.chooseModel(profile.model)
  const known = session.lanes.get(task)
  const child: Lane = known ?? {
    agent: task,
    depth: parent.depth + 1,
    profile,
    above: [...parent.above, parent.profile.name],
    model,
    system: systemFor(request, profile),
    conversation: createConversation(task),
    spent: nothingSpent(),
    tools: () => [],
  }
  if (known === undefined) {
    for (const event of request.history) child.conversation.push(event)
    start(child)
  }
  session.tell(
    'task.start',
    {
      task,
      type: 'agent',
      title: `${title} (@${profile.name} subagent)`,
      agentType: profile.name,
      model: model.id,
      prompt,
      depth: child.depth,
    },
    { agent: parent.agent, call },
  )
  session.tell('prompt.submit', { text: prompt, by: 'agent', state: 'sent' }, { agent: task })
  child.spent = nothingSpent()
  session.busy.add(task)
  const { reason, text, error } = await work(session, child, signal, () => session.limit).finally(() => session.busy.delete(task))
  const failed = error !== undefined || reason !== 'end_turn'
  session.tell(
    'task.end',
    {
      task,
      status: signal.aborted ? 'cancelled' : failed ? 'error' : 'ok',
      usage: child.spent.usage,
      ...(text !== undefined && { text }),
      ...(error !== undefined && { error }),
    },
    { agent: parent.agent },
  )
  const said = text ?? '(it said nothing)'
  const trouble = failed ? `The subagent did not finish (${error?.text ?? reason}). The last it said:\n\n` : ''
  return {
    text: `task_id: ${task}\n\n${trouble}${said}`,
    data: { sessionId: task, model: { modelID: model.id, providerID: model.provider }, truncated: false },
    failed,
    task,
  }
}

const isKnown = ({ lanes, request }: Session, task: string): boolean =>
  lanes.has(task) || request.history.some((event) => event.kind === 'task.start' && event.task === task)

/** What the model says of the work. `names`: of the profiles. */
export const taskParameters = (names: readonly string[]): Tool['parameters'] => ({
  type: 'object',
  properties: {
    description: { type: 'string', description: 'the work in three to five words' },
    prompt: { type: 'string', description: 'what the subagent is to do' },
    subagent_type: { type: 'string', description: `one of ${names.join(', ')}` },
    task_id: { type: 'string', description: 'goes on with an earlier subagent' },
  },
  required: ['description', 'prompt', 'subagent_type'],
})
