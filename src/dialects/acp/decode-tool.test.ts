import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { toolFailed } from '../../model/outcome.ts'
import {
  allOf,
  answer,
  ask,
  choose,
  decodeAll,
  done,
  kindsOf,
  mayI,
  oneOf,
  opening,
  plain,
  prompt,
  shortly,
  tool,
  toolUpdate,
  turn,
  update,
  within,
} from './support.test.ts'

const shown = (text: string): Rec => ({ type: 'content', content: { type: 'text', text } })
const endOf = (...records: Rec[]) => oneOf(decodeAll(turn(...records)), 'tool.end')

test('a call, its updates, its end; an empty input is one that is yet to come', () => {
  const events = within(
    tool({ title: 'bash', rawInput: {}, locations: [{ path: '/home/dev/a' }] }),
    toolUpdate({ status: 'in_progress', title: 'ls -la', rawInput: { command: 'ls -la' } }),
    toolUpdate({ content: [shown('a')] }),
    toolUpdate({ status: 'completed', content: [shown('a\n')], rawOutput: { output: 'a\n', metadata: { exit: 0 } } }),
  )
  assert.deepEqual(events.map(shortly), [
    { kind: 'tool.start', turn: 1, call: 'c1', name: 'bash', toolKind: 'execute', title: 'bash', paths: ['/home/dev/a'] },
    { kind: 'tool.update', turn: 1, call: 'c1', state: 'running', title: 'ls -la', input: { command: 'ls -la' } },
    { kind: 'tool.update', turn: 1, call: 'c1', state: 'running', content: [shown('a')] },
    {
      kind: 'tool.end',
      turn: 1,
      call: 'c1',
      status: 'ok',
      text: 'a\n',
      content: [shown('a\n')],
      data: { output: 'a\n', metadata: { exit: 0 } },
      exitCode: 0,
    },
  ])
})

test('an input that grows is told when it is whole', () => {
  const grow = (rawInput: Rec): Rec => toolUpdate({ rawInput })
  const inputs = (...records: Rec[]): unknown =>
    allOf(decodeAll(turn(tool({ rawInput: {} }), ...records)), 'tool.update').map(({ input, synthetic }) =>
      plain([input ?? null, synthetic ?? null]),
    )
  const whole = [[{ command: 'ls', description: 'List' }, null]]
  const parts = [grow({ command: 'ls' }), grow({ command: 'ls', description: 'List' })]
  assert.deepEqual(inputs(...parts, update('usage_update', { used: 1, size: 2 })), whole)
  assert.deepEqual(inputs(...parts, mayI('a0')), whole)
  assert.deepEqual(inputs(...parts, toolUpdate({ status: 'completed' })), whole)
  assert.deepEqual(inputs(...parts, toolUpdate({ status: 'completed', rawInput: { command: 'ls -l' } })), [[{ command: 'ls -l' }, null]])
  const cut = decodeAll([...opening, prompt(), tool({ rawInput: {} }), grow({ command: 'ls' })])
  assert.deepEqual(plain([oneOf(cut, 'tool.update').input, oneOf(cut, 'tool.update').synthetic]), [{ command: 'ls' }, 'implied'])
})

test('the name of a tool, in the places where agents tell it', () => {
  const named = (fields: Rec): unknown[] => {
    const { name, toolKind, server } = oneOf(decodeAll(turn(tool(fields))), 'tool.start')
    return server === undefined ? [name, toolKind] : [name, toolKind, server]
  }
  assert.deepEqual(named({ name: 'exec_command', kind: 'read', title: 'Read a' }), ['exec_command', 'read'])
  assert.deepEqual(named({ _meta: { claudeCode: { toolName: 'Agent' } }, kind: 'think' }), ['Agent', 'task'])
  assert.deepEqual(named({ toolCallId: 'write_todos__write_todos_17_0', kind: 'other', title: 'Set 1 todo' }), ['write_todos', 'plan'])
  assert.deepEqual(named({ title: 'todowrite', kind: 'other' }), ['todowrite', 'plan'])
  assert.deepEqual(named({ title: 'touch x', kind: 'execute' }), ['execute', 'execute'])
  assert.deepEqual(named({ title: 'Guardian Review', kind: 'think' }), ['think', 'think'])
  assert.deepEqual(named({ title: 'Plan mode', kind: 'switch_mode' }), ['switch_mode', 'mode'])
  assert.deepEqual(named({ name: 'mcp__echo__say', kind: 'other' }), ['mcp__echo__say', 'other', 'echo'])
  assert.deepEqual(named({ title: 'mcp.echo.say', kind: 'execute', rawInput: { server: 'echo' }, _meta: { is_mcp_tool_call: true } }), [
    'mcp.echo.say',
    'other',
    'echo',
  ])
})

test('a command that left with a code has failed, wherever the code is told', () => {
  const codes = (fields: Rec): unknown[] => {
    const end = endOf(tool(), toolUpdate({ status: 'completed', ...fields }))
    return [end.exitCode, toolFailed(end)]
  }
  assert.deepEqual(codes({ rawOutput: { metadata: { exit: 3 } } }), [3, true])
  assert.deepEqual(codes({ rawOutput: { exit_code: 3 } }), [3, true])
  assert.deepEqual(codes({ _meta: { terminal_exit: { exit_code: 3 } } }), [3, true])
  assert.deepEqual(codes({ status: 'failed', rawOutput: 'Exit code 3\npartial' }), [3, true])
  assert.deepEqual(codes({ rawOutput: 'partial\n<exited with exit code 3>' }), [3, true])
  assert.deepEqual(codes({ rawOutput: 'partial\n<shellId: 0 completed with exit code 3>' }), [3, true])
  assert.deepEqual(codes({ rawOutput: 'Command: x\nOutput: partial\nExit Code: 3\nSignal: (none)' }), [3, true])
  assert.deepEqual(codes({ content: [shown('Command exited with code: 3')] }), [3, true])
  assert.deepEqual(codes({ rawOutput: 'Exit code 3 is what the program printed' }), [undefined, false])
  assert.deepEqual(codes({ rawOutput: 'grep: Exit Code: 3' }), [undefined, false])
})

test('what a tool answered is taken from its raw output before what is dressed up for people', () => {
  const textOf = (fields: Rec): string | undefined => endOf(tool(), toolUpdate({ status: 'completed', ...fields })).text
  assert.equal(textOf({ rawOutput: 'out', content: [shown('```\nout\n```')] }), 'out')
  assert.equal(textOf({ rawOutput: { result: { content: [{ type: 'text', text: 'echo: hi' }] } } }), 'echo: hi')
  assert.equal(
    textOf({
      rawOutput: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    }),
    'ab',
  )
  assert.equal(textOf({ content: [{ type: 'diff', path: '/home/dev/a', newText: 'x' }] }), undefined)
})

test('what a terminal prints beside the protocol is told as it comes', () => {
  const printed = (data: string, more: Rec = {}): Rec =>
    toolUpdate({ _meta: { terminal_output_delta: { data, terminal_id: 't' } }, ...more })
  const events = within(tool(), printed('one\n'), printed('two\n', { status: 'completed' }))
  assert.deepEqual(kindsOf(events), ['tool.start', 'tool.delta', 'tool.delta', 'tool.end'])
  assert.equal(endOf(tool(), printed('all\n', { status: 'failed' })).text, 'all\n')
})

test('a terminal of the host: its output in pieces, its exit code at the end of the call', () => {
  const named = { sessionId: 's', terminalId: 't' }
  const events = within(
    ask('a1', 'terminal/create', { sessionId: 's', command: 'npm' }),
    answer('a1', { terminalId: 't' }),
    tool({ content: [{ type: 'terminal', terminalId: 't' }] }),
    ask('a2', 'terminal/output', named),
    answer('a2', { output: 'one\n', truncated: false }),
    ask('a3', 'terminal/wait_for_exit', named),
    answer('a3', { exitCode: 3, signal: null }),
    ask('a4', 'terminal/output', named),
    answer('a4', { output: 'one\ntwo\n', truncated: false, exitStatus: { exitCode: 3 } }),
    toolUpdate({ status: 'completed' }),
  )
  assert.deepEqual(
    allOf(events, 'tool.delta').map(({ text }) => text),
    ['one\n', 'two\n'],
  )
  assert.equal(oneOf(events, 'tool.end').exitCode, 3)
})

test('a call that a question brings up is a call', () => {
  const events = within(mayI(), choose('yes'), toolUpdate({ status: 'completed' }))
  assert.deepEqual(kindsOf(events), ['tool.start', 'permission.request', 'permission.answer', 'tool.end'])
})

test('a call that was refused is denied, also when the agent says nothing more of it', () => {
  assert.equal(endOf(tool(), mayI(), choose('no'), toolUpdate({ status: 'failed' })).status, 'denied')
  assert.equal(
    endOf(tool(), toolUpdate({ status: 'failed', _meta: { claudeCode: { nonExecutionKind: 'permission-rule' } } })).status,
    'denied',
  )
  assert.equal(endOf(toolUpdate({ status: 'failed', content: [shown('Tool execution denied by policy.')] })).status, 'denied')
  const silent = endOf(mayI(), answer(0, { outcome: { outcome: 'cancelled' } }))
  assert.deepEqual([silent.status, silent.synthetic], ['denied', 'implied'])
})

test('a call that was stopped while it ran was not refused, though Claude says so', () => {
  const ends = (kind: string, said = 'rejected'): Rec =>
    toolUpdate({ status: 'failed', rawOutput: said, _meta: { claudeCode: { nonExecutionKind: kind } } })
  assert.equal(endOf(tool(), mayI(), choose('yes'), ends('user-rejected')).status, 'cancelled')
  assert.equal(endOf(tool(), ends('user-rejected')).status, 'cancelled') // nobody was asked
  assert.equal(endOf(tool(), mayI(), ends('user-rejected')).status, 'denied') // the answer was not heard
  assert.equal(endOf(tool(), mayI(), ends('user-rejected', 'Correction: this call was stopped while running')).status, 'cancelled')
  assert.equal(endOf(tool(), ends('interrupted')).status, 'cancelled')
  assert.equal(endOf(tool(), mayI(), choose('no'), ends('interrupted')).status, 'denied')
  const history = [ask(5, 'session/load', { sessionId: 's', cwd: '/' }), tool(), ends('user-rejected'), answer(5, {})]
  assert.equal(oneOf(decodeAll(history), 'tool.end').status, 'denied') // questions are not told again
})

test('a cancelled turn cancels its calls; what is open at the end is abandoned', () => {
  const cancelled = decodeAll([...opening, prompt(), tool(), done(2, { stopReason: 'cancelled' })])
  assert.equal(oneOf(cancelled, 'tool.end').status, 'cancelled')
  assert.equal(endOf(tool()).status, 'abandoned')
})

test('a call told again is an update while it is open, and another call after its end', () => {
  const again = within(tool({ rawInput: {} }), tool({ rawInput: { command: 'ls' } }), toolUpdate({ status: 'completed' }))
  assert.deepEqual(kindsOf(again), ['tool.start', 'tool.update', 'tool.update', 'tool.end']) // the title, the input
  const late = within(tool(), toolUpdate({ status: 'completed' }), toolUpdate({ status: 'completed' }), tool({ status: 'completed' }))
  assert.deepEqual(kindsOf(late), ['tool.start', 'tool.end', 'raw', 'raw'])
  const second = within(tool(), toolUpdate({ status: 'completed' }), tool(), toolUpdate({ status: 'failed' }))
  assert.deepEqual(
    allOf(second, 'tool.end').map(({ call, status }) => [call, status]),
    [
      ['c1', 'ok'],
      ['~c1#2', 'error'],
    ],
  )
})

test("calls of Claude's subagents are in the lane of the call that started them", () => {
  const meta = (fields: Rec): Rec => ({ _meta: { claudeCode: fields } })
  const events = within(
    tool({ toolCallId: 'task', name: 'Agent', kind: 'think' }),
    tool({ ...meta({ parentToolUseId: 'task' }) }),
    toolUpdate({ status: 'completed', ...meta({ parentToolUseId: 'task' }) }),
    update('tool_call_update', {
      toolCallId: 'task',
      ...meta({ toolResponse: { agentId: 'a', totalTokens: 1246, totalToolUseCount: 1 } }),
    }),
    update('tool_call_update', { toolCallId: 'task', status: 'completed', rawOutput: 'three lines' }),
  )
  assert.deepEqual(
    events.map(({ kind, agent, call }) => [kind, agent, call]),
    [
      ['tool.start', undefined, 'task'],
      ['task.start', undefined, 'task'],
      ['tool.start', 'task', 'c1'],
      ['tool.end', 'task', 'c1'],
      ['task.update', undefined, undefined],
      ['raw', undefined, 'task'],
      ['task.end', undefined, undefined],
      ['tool.end', undefined, 'task'],
    ],
  )
  assert.equal(oneOf(events, 'task.update').tokens, 1246)
  assert.deepEqual(plain(oneOf(events, 'task.end')).text, 'three lines')
  assert.deepEqual(allOf(events, 'tool.end')[1]?.data, { agentId: 'a', totalTokens: 1246, totalToolUseCount: 1 })
})

test('a subagent that was sent to the background outlives its call', () => {
  const lane = { _meta: { claudeCode: { parentToolUseId: 'c1' } } }
  const events = within(
    tool({ name: 'Agent' }),
    tool({ toolCallId: 'c2', ...lane }),
    toolUpdate({ _meta: { claudeCode: { toolResponse: { isAsync: true } } } }),
    toolUpdate({ status: 'completed' }),
    update('tool_call_update', { toolCallId: 'c2', status: 'completed', ...lane }),
  )
  assert.deepEqual(
    allOf(events, 'tool.end').map(({ call }) => call),
    ['c1', 'c2'],
  )
  assert.deepEqual(allOf(events, 'task.end'), [])
})

test('threads that a call of Codex starts and waits for', () => {
  const input = (status: string): Rec => ({ receiverThreadIds: ['t'], prompt: 'count', agentsStates: { t: { status, message: 'three' } } })
  const events = within(
    tool({ title: 'spawnAgent', kind: 'other', rawInput: { receiverThreadIds: [] } }),
    toolUpdate({ status: 'completed', rawInput: input('pendingInit') }),
    tool({ toolCallId: 'c2', title: 'wait', rawInput: input('completed') }),
  )
  assert.deepEqual(plain([oneOf(events, 'task.start').prompt, oneOf(events, 'task.end').status, oneOf(events, 'task.end').text]), [
    'count',
    'ok',
    'three',
  ])
})

test('Gemini names a tool in the id of its call, whatever follows', () => {
  const call = mayI(0, { toolCallId: 'run_shell_command__call_1', kind: 'execute', title: 'ls', status: 'pending' })
  const hello = answer(0, { protocolVersion: 1, agentInfo: { name: 'gemini-cli', version: '0.61.0' } })
  const [first, , ...rest] = turn(call)
  assert.equal(oneOf(decodeAll([first!, hello, ...rest]), 'tool.start').name, 'run_shell_command')
  assert.equal(oneOf(decodeAll(turn(call)), 'tool.start').name, 'execute')
})
