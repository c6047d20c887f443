// Tool calls and permissions by value.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { toolFailed } from '../../model/outcome.ts'
import { decodeAll, inRun, live, only, plain, rec } from './support.test.ts'

const begin = (toolName: string, more: Rec = {}): Rec =>
  rec('tool.execution_start', { toolCallId: 'c', toolName, arguments: { a: 1 }, ...more })
const complete = (more: Rec): Rec => rec('tool.execution_complete', { toolCallId: 'c', success: true, ...more })
const endOf = (...records: Rec[]) => only(decodeAll(inRun(...records)), 'tool.end')[0]

test('a tool of a server is told when it runs, with its server', () => {
  const piece = rec('assistant.tool_call_delta', { toolCallId: 'c', toolName: 'echo-say', inputDelta: '{}' }, live)
  const events = decodeAll(
    inRun(piece, begin('echo-say', { mcpServerName: 'echo', mcpToolName: 'say' }), complete({ result: { content: 'hi' } })),
  )
  assert.deepEqual(
    only(events, 'tool.start').map(({ name, toolKind, server, input }) => [name, toolKind, server, input]),
    [['echo-say', 'other', 'echo', { a: 1 }]],
  )
})

test('a call that the model did not finish writing is abandoned', () => {
  const piece = rec('assistant.tool_call_delta', { toolCallId: 'c', toolName: 'bash', inputDelta: '{' }, live)
  const end = endOf(piece)
  assert.deepEqual([end?.status, end?.synthetic], ['abandoned', 'cut'])
})

test('the exit code is found wherever it stands', () => {
  const codes = [
    complete({ shellExecution: { exitCode: 3 }, result: { content: 'x' } }),
    complete({ result: { content: 'x', contents: [{ type: 'shell_exit', exitCode: 3, shellId: '0' }] } }),
    complete({
      result: {
        content: 'x',
        contents: [
          { type: 'text', text: 'x' },
          { type: 'terminal', text: 'x', exitCode: 3 },
        ],
      },
    }),
    complete({ result: { content: 'x\n<exited with exit code 3>' } }),
    complete({ result: 'x\n<shellId: 0 completed with exit code 3>\n' }),
  ].map((record) => endOf(begin('bash'), record))
  for (const end of codes) assert.deepEqual([end?.exitCode, end?.status, toolFailed(end!)], [3, 'ok', true])
})

test('what another tool prints is no exit code', () => {
  assert.equal(endOf(begin('view'), complete({ result: { content: '<exited with exit code 3>' } }))?.exitCode, undefined)
})

test('the word for a failure decides what became of the call', () => {
  const status = (code: string | undefined) => endOf(begin('bash'), complete({ success: false, error: { message: 'no', code } }))?.status
  assert.deepEqual(['failure', undefined, 'denied', 'rejected', 'cancelled'].map(status), [
    'error',
    'error',
    'denied',
    'denied',
    'cancelled',
  ])
})

test('what a result holds beside its text is kept', () => {
  const images = [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }]
  const detailed = endOf(begin('edit'), complete({ result: { content: 'ok', detailedContent: '+a' } }))
  const structured = endOf(begin('echo-say'), complete({ result: { content: 'ok', structuredContent: { a: 1 } } }))
  const image = endOf(begin('view'), complete({ result: { content: 'ok', binaryResultsForLlm: images } }))
  assert.deepEqual([detailed?.text, detailed?.data, structured?.data, image?.content], ['ok', { detailedContent: '+a' }, { a: 1 }, images])
})

test('output that comes only as all so far is told in pieces', () => {
  const partial = (partialOutput: string): Rec => rec('tool.execution_partial_result', { toolCallId: 'c', partialOutput }, live)
  const texts = (...outputs: string[]) =>
    only(decodeAll(inRun(begin('bash'), ...outputs.map(partial), complete({}))), 'tool.delta').map(({ text }) => text)
  assert.deepEqual(texts('a\n', 'a\n', 'a\nb\n'), ['a\n', 'b\n'])
  assert.deepEqual(texts('a\n', 'b\n', 'b\nc\n'), ['a\n', 'b\n', 'c\n'])
})

test('output of a call that is over is kept as it came', () => {
  const late = rec('tool.shell_output', { toolCallId: 'c', stream: 'stdout', text: 'x' }, live)
  assert.equal(only(decodeAll(inRun(begin('bash'), complete({}), late)), 'tool.delta').length, 0)
})

test('progress of a call, and a tool that the host runs', () => {
  const progress = rec('tool.execution_progress', { toolCallId: 'c', progressMessage: '50 %' }, live)
  const asked = rec('external_tool.requested', { requestId: 'r', toolCallId: 'd', toolName: 'host_say', arguments: { b: 2 } }, live)
  const events = decodeAll(inRun(begin('bash'), progress, asked))
  assert.deepEqual(plain(only(events, 'tool.update')[0]?.content), [{ type: 'text', text: '50 %' }])
  assert.deepEqual(
    only(events, 'tool.start').map(({ call, hostedBy, input }) => [call, hostedBy, input]),
    [
      ['c', undefined, { a: 1 }],
      ['d', 'host', { b: 2 }],
    ],
  )
})

test('a call of the user belongs to no model call', () => {
  const call = { toolCallId: 'c', toolName: 'bash', arguments: { command: 'ls' } }
  const events = decodeAll([rec('tool.user_requested', call), rec('tool.execution_start', call), complete({ isUserRequested: true })])
  assert.deepEqual(
    events.filter(({ kind }) => kind.startsWith('tool.') || kind.startsWith('message.')).map(({ kind, message }) => [kind, message]),
    [
      ['tool.start', undefined],
      ['tool.update', undefined],
      ['tool.end', undefined],
    ],
  )
})

// ── permission ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const ask = (more: Rec = {}): Rec => rec('permission.requested', { requestId: 'p', permissionRequest: { toolCallId: 'c', ...more } })
const answer = (kind: string, more: Rec = {}, decisionSource?: string): Rec =>
  rec('permission.completed', { requestId: 'p', toolCallId: 'c', result: { kind, ...more }, ...(decisionSource ? { decisionSource } : {}) })

test('each verdict says what was decided, by whom and for how long', () => {
  const verdicts: [Rec, (string | undefined)[]][] = [
    [answer('approved'), ['allow', 'unknown', undefined, undefined]],
    [answer('approved', {}, 'user_prompt'), ['allow', 'user', undefined, undefined]],
    [answer('approved-for-session'), ['allow', 'user', 'session', undefined]],
    [answer('approved-for-location'), ['allow', 'user', 'always', undefined]],
    [answer('denied-by-rules'), ['reject', 'rule', undefined, undefined]],
    [answer('denied-interactively-by-user', { feedback: 'not now' }), ['reject', 'user', undefined, 'not now']],
    [answer('denied-no-approval-rule-and-could-not-request-from-user'), ['reject', 'headless', undefined, undefined]],
    [answer('denied-by-content-exclusion-policy', { message: 'secret' }), ['reject', 'policy', undefined, 'secret']],
    [answer('denied-by-permission-request-hook'), ['reject', 'hook', undefined, undefined]],
    [answer('cancelled', { reason: 'gone' }), ['cancelled', 'unknown', undefined, 'gone']],
  ]
  for (const [record, expected] of verdicts) {
    const [given] = only(decodeAll(inRun(begin('bash'), ask({ kind: 'shell' }), record)), 'permission.answer')
    assert.deepEqual([given?.decision, given?.by, given?.scope, given?.text], expected)
  }
})

test('a question tells what it is about, also when its call is not known', () => {
  const subjects = [
    { kind: 'shell', fullCommandText: 'ls' },
    { kind: 'write', fileName: 'a' },
    { kind: 'read', path: 'b' },
    { kind: 'url', url: 'c' },
  ]
  assert.deepEqual(
    subjects.map((subject) => {
      const [request] = only(decodeAll(inRun(ask(subject))), 'permission.request')
      return [request?.toolKind, request?.patterns, request?.permission]
    }),
    [
      ['execute', ['ls'], 'shell'],
      ['edit', ['a'], 'write'],
      ['read', ['b'], 'read'],
      ['fetch', ['c'], 'url'],
    ],
  )
})

test('an answer whose question was not seen implies it', () => {
  const events = decodeAll(inRun(begin('bash'), answer('approved-for-session'), complete({})))
  assert.equal(only(events, 'permission.request')[0]?.synthetic, 'implied')
  assert.deepEqual(only(events, 'tool.end')[0]?.permitted, { allow: true, by: 'user' })
})

test('unknown keys are kept, however deep they stand', () => {
  const edit = { path: '/a', kind: 'create', weather: 'fine' }
  const result = { content: 'ok', structuredContent: { any: 1 }, moon: 3 }
  const end = endOf(begin('edit', { arguments: { any: 1 } }), complete({ fileEdits: [edit], result, toolTelemetry: { any: 1 } }))
  assert.deepEqual(plain(end?.ext), { copilot: { data: { fileEdits: { 0: { weather: 'fine' } }, result: { moon: 3 } } } })
  const metrics = { usage: { inputTokens: 1, moonTokens: 2 }, requests: { any: 1 } }
  const over = rec('session.shutdown', { shutdownType: 'routine', modelMetrics: { m: metrics } })
  const [closed] = only(decodeAll([rec('session.start', { sessionId: 's' }), over]), 'session.end')
  assert.deepEqual(plain(closed?.ext), { copilot: { data: { modelMetrics: { m: { usage: { moonTokens: 2 } } } } } })
})

test('a record that only repeats others keeps what is new in it', () => {
  const [start] = only(decodeAll(inRun(rec('assistant.message_start', { messageId: 'm', weather: 'fine' }, live))), 'raw')
  assert.deepEqual([start?.why, plain(start?.ext)], ['redundant', { copilot: { data: { weather: 'fine' } } }])
})
