// The agent's list of what is to do, told as a plan. The whole list is given each time.
import { isRecord, type Rec } from '../../../base/json.ts'
import { optionalText, textField } from './fields.ts'
import type { Tool } from './tool.ts'

const statuses = ['pending', 'in_progress', 'completed', 'cancelled']
const planStatus = { pending: 'pending', in_progress: 'active', completed: 'done' } as const

type Todo = { content: string; status: string; priority?: string }

export const todoTool: Tool = {
  name: 'todowrite',
  description:
    'Keeps the list of what is to do, for you and for those who watch. Give the whole list each time, one entry in progress at a time.',
  parameters: {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', description: 'What is to do' },
            status: { type: 'string', enum: statuses },
            priority: { type: 'string', enum: ['high', 'medium', 'low'] },
          },
          required: ['content', 'status'],
        },
      },
    },
    required: ['todos'],
    additionalProperties: false,
  },
  kind: 'plan',
  source: 'builtin',
  changes: false,
  plan(input) {
    const todos = (Array.isArray(input['todos']) ? input['todos'] : []).filter(isRecord).map(todoOf)
    const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress').length
    const dropped = todos.filter(({ status }) => status === 'cancelled').length
    return {
      title: `${open} to do`,
      ask: { permission: 'todowrite', patterns: ['*'] },
      async run({ emit }) {
        emit('plan.update', { entries: todos.flatMap(entryOf) })
        const note = dropped === 0 ? '' : `; ${dropped} cancelled and no longer in the plan`
        return { text: `${open} of ${todos.length} to do${note}`, data: { todos, truncated: false } }
      },
    }
  },
}

function todoOf(entry: Rec): Todo {
  const priority = optionalText(entry, 'priority')
  return { content: textField(entry, 'content'), status: textField(entry, 'status'), ...(priority === undefined ? {} : { priority }) }
}

/** A plan knows no cancelled entry: such a one is not done, so it is left out. */
function entryOf({ content, status, priority }: Todo): { text: string; status: 'pending' | 'active' | 'done'; priority?: string }[] {
  if (!(status in planStatus)) return []
  return [{ text: content, status: planStatus[status as keyof typeof planStatus], ...(priority === undefined ? {} : { priority }) }]
}
