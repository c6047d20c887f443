// Canonical events that stand beside the conversation: one or two of every kind that belongs to no message and no call.
import type { Event, Place } from '../model/event.ts'
import type { Random } from './random.ts'
import type { Put } from './sluice.ts'
import { models, objectOf, textOf, valueOf } from './words.ts'

export function sideEvents(random: Random, make: Put): Event[] {
  const beside: Place = {}
  const hook = `hook-${random.hex(4)}`
  const choices: (() => Event[])[] = [
    () => [
      make(
        'plan.update',
        { entries: random.some(0, 3, () => ({ text: textOf(random), status: random.pick(['pending', 'active', 'done']) })) },
        beside,
      ),
    ],
    () => [make('file.update', { changes: [{ path: '/home/dev/a b/ü.ts', change: random.pick(['add', 'update', 'delete']) }] }, beside)],
    () => [
      make(
        'skill.load',
        {
          name: 'commit',
          level: random.pick(['listed', 'loaded', 'resource']),
          path: '/home/dev/.claude/skills/commit/SKILL.md',
          description: textOf(random),
        },
        beside,
      ),
    ],
    () => [
      make(
        'catalog.update',
        { servers: [{ name: 'echo', status: 'failed', error: textOf(random) }], commands: [{ name: 'compact' }] },
        beside,
      ),
    ],
    () => [
      make('hook.start', { id: hook, name: 'PreToolUse:Bash', event: 'PreToolUse' }, beside),
      make(
        'hook.end',
        {
          id: hook,
          ...random.pick([
            { status: 'ok', exitCode: 0 },
            { status: 'error', exitCode: 1 },
            { status: 'denied', exitCode: 2 },
          ]),
          text: textOf(random),
        },
        beside,
      ),
    ],
    () => [
      make(
        'status.update',
        { phase: random.pick(['starting', 'thinking', 'working', 'idle']), label: textOf(random), source: 'agent' },
        beside,
      ),
    ],
    () => [
      make(
        'usage.update',
        {
          scope: 'session',
          cumulative: true,
          usage: { input: 1, output: 2 },
          context: { used: 9, limit: 200_000 },
          limits: [{ name: 'five_hour', state: 'warning', used: 0.9 }],
        },
        beside,
      ),
    ],
    () => [
      make(
        'context.trim',
        { why: random.pick(['compact', 'trim', 'clear']), trigger: 'auto', before: 190_000, after: 12_000, text: textOf(random) },
        beside,
      ),
    ],
    () => [
      make(
        'retry.start',
        { scope: 'model', attempt: 1, max: 3, delayMs: 1000, error: { category: 'overloaded', text: textOf(random), http: 529 } },
        beside,
      ),
    ],
    () => [make('cancel.request', { target: 'call', by: 'host', text: textOf(random) }, beside)],
    () => [
      make('report', { type: 'ready', name: 'avenor' }, beside),
      make('report', { type: 'state', state: 'working', data: valueOf(random) }, beside),
    ],
    () => [
      make('report', { type: 'reply', to: 'controller', data: valueOf(random) }, beside),
      make('report', { type: 'finish', status: 'done', text: textOf(random), files: ['a.ts'] }, beside),
    ],
    () => [
      make(
        'error',
        {
          scope: 'session',
          fatal: false,
          error: { category: 'provider', text: textOf(random), http: 500 },
          source: 'backend',
          data: objectOf(random),
        },
        beside,
      ),
    ],
    () => [make('notice', { level: random.pick(['info', 'warn']), code: 'note', text: textOf(random), data: valueOf(random) }, beside)],
    () => [make('issue', { code: 'bad-json', severity: 'error', line: 3, byte: 99, text: textOf(random), goesOn: true }, beside)],
    () => [make('raw', { type: 'somebody.else', why: random.pick(['unknown', 'unmapped', 'redundant']) }, beside)],
    () => [
      make(
        'session.update',
        { by: 'host', model: models[1], mode: 'plan', native: 'n-1', length: random.int(0, 9), how: 'resumed' },
        beside,
      ),
    ],
    () => [
      make(
        'permission.answer',
        {
          decision: 'reject',
          by: random.pick(['rule', 'mode', 'hook', 'headless']),
          name: 'Bash',
          toolKind: 'execute',
          permission: 'bash',
          patterns: ['rm *'],
          input: objectOf(random),
        },
        beside,
      ),
    ],
    () => [
      make(
        'prompt.submit',
        { text: textOf(random), by: random.pick(['user', 'system', 'hook']), state: random.pick(['queued', 'seen']) },
        beside,
      ),
    ],
  ]
  return random.some(1, 4, () => random.pick(choices)()).flat()
}
