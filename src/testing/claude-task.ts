// Subagents and background commands of a made-up Claude stream, with the records that tell how they get on.
import type { Rec } from '../base/json.ts'
import type { ClaudeMessages } from './claude-message.ts'
import { type ClaudeRecords, type Lane, mainLane } from './claude-records.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { taskOf, textOf } from './words.ts'

type Task = { task_id: string; tool_use_id: string }

export function createClaudeTasks(random: Random, { failures }: Plan, make: ClaudeRecords, messages: ClaudeMessages) {
  const { message, working, answering, useOf } = messages
  const { system } = make
  const newTask = (call: string, prefix: string): Task => ({ task_id: prefix + random.hex(12), tool_use_id: call })
  const finish = (task: Task, status: string, text: string): Rec[] => [
    ...(random.chance(0.6) ? [system('task_updated', { task_id: task.task_id, patch: { status, end_time: make.now() } })] : []),
    system('task_notification', {
      ...task,
      status,
      output_file: '',
      summary: text,
      usage: { total_tokens: random.int(1, 5000), tool_uses: 1, duration_ms: 90 },
    }),
  ]

  /** `home`: the lane that starts it and gets its report. */
  function subagent(home: Lane, depth: number): { use: Rec; run: Rec[] } {
    const input = taskOf(random)
    const call = { id: `toolu_${random.hex(10)}`, name: random.pick(['Agent', 'Task']), input }
    const task = newTask(call.id, 'a')
    const lane: Lane = { parent: call.id, agent: task.task_id }
    const status = failures && random.chance(0.2) ? 'failed' : 'completed'
    const report = textOf(random)
    const inner = random.some(0, 2, () => (depth < 2 && random.chance(0.15) ? nested(lane, depth) : working(lane, 2))).flat()
    const spoken = random.chance(0.5) ? answering(lane, report) : []
    return {
      use: useOf(call),
      run: [
        system('task_started', {
          ...task,
          description: input['description'],
          subagent_type: 'general-purpose',
          is_backgrounded: false,
          spawn_depth: depth,
          task_type: 'local_agent',
          prompt: input['prompt'],
        }),
        make.user([{ type: 'text', text: input['prompt'] }], lane),
        ...(random.chance(0.5)
          ? [
              system('task_progress', {
                ...task,
                description: textOf(random),
                usage: { total_tokens: 9, tool_uses: 1, duration_ms: 5 },
                last_tool_name: 'Read',
              }),
            ]
          : []),
        ...inner,
        ...spoken,
        ...finish(task, status, report),
        make.user(
          [
            {
              tool_use_id: call.id,
              type: 'tool_result',
              content: [{ type: 'text', text: report }],
              ...(status === 'failed' ? { is_error: true } : {}),
            },
          ],
          home,
        ),
      ],
    }
  }

  function nested(lane: Lane, depth: number): Rec[] {
    const { use, run } = subagent(lane, depth + 1)
    return [...message(lane, [use], 'tool_use'), ...run]
  }

  function delegating(): Rec[] {
    const agents = random.some(1, 2, () => subagent(mainLane, 1))
    const said = message(
      mainLane,
      agents.map(({ use }) => use),
      'tool_use',
    )
    return [
      ...said,
      ...interleaved(
        agents.map(({ run }) => run),
        random,
      ),
    ]
  }

  /** The command goes on after the turn; its end brings a turn of its own. */
  function background(): { said: Rec[]; later: Rec[] } {
    const call = { id: `toolu_${random.hex(10)}`, name: 'Bash', input: { command: 'sleep 1', run_in_background: true } }
    const task = newTask(call.id, 'b')
    const listed = { task_id: task.task_id, task_type: 'local_bash', description: 'Sleep' }
    const structure = { stdout: '', stderr: '', interrupted: false, isImage: false, backgroundTaskId: task.task_id }
    return {
      said: [
        ...message(mainLane, [useOf(call)], 'tool_use'),
        system('background_tasks_changed', { tasks: [listed] }),
        system('task_started', { ...task, description: 'Sleep', is_backgrounded: true, task_type: 'local_bash' }),
        make.user(
          [
            {
              tool_use_id: call.id,
              type: 'tool_result',
              content: `Command running in background with ID: ${task.task_id}.`,
              is_error: false,
            },
          ],
          mainLane,
          { tool_use_result: structure },
        ),
      ],
      later: [...finish(task, 'completed', textOf(random)), system('background_tasks_changed', { tasks: [] })],
    }
  }

  return { delegating, background }
}
