import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ask } from '../supervise/contract.ts'
import type { Question } from '../supervise/permission.ts'
import { styleFor } from '../views/style.ts'
import { questionLines } from './ask-lines.ts'
import { createChatAsk } from './chat-ask.ts'
import type { Words } from './chat-keyboard.ts'

const style = styleFor(false)
const choices = ['allow_once', 'allow_always', 'reject_once'] as const
const options = choices.map((kind) => ({ id: kind, kind, label: kind === 'allow_always' ? 'Always allow bash "npm *"' : kind }))

const request = (more: Partial<Question['request']>): Question['request'] => ({
  id: 'p1',
  name: 'bash',
  toolKind: 'execute',
  permission: 'bash',
  patterns: ['npm test'],
  input: { command: 'npm test' },
  options,
  ...more,
})
const question = (more: Partial<Question['request']> = {}): Question => ({ ask: {} as Ask, request: request(more) }) // the ask is not looked at

test('a command is shown whole and harmless, with the parts that are asked about', () => {
  assert.deepEqual(questionLines(request({}), 60, style), ['? Allow bash?', '    npm test'])
  const long = `echo ${'x'.repeat(100)} \x1b[2J\n&& rm -rf /`
  assert.deepEqual(questionLines(request({ input: { command: long }, patterns: ['rm -rf /'] }), 64, style), [
    '? Allow bash?',
    '    echo',
    `    ${'x'.repeat(60)}`,
    `    ${'x'.repeat(40)} \\u001b[2J`,
    '    && rm -rf /',
    '    bash: rm -rf /',
  ])
})

test('a change of a file is shown as a diff, another permission by its name', () => {
  const edit = request({
    name: 'edit',
    toolKind: 'edit',
    permission: 'secret_file',
    patterns: ['.env'],
    input: { filePath: '.env', oldString: 'A=1', newString: 'A=2' },
  })
  const lines = questionLines(edit, 60, style)
  assert.deepEqual(lines.slice(0, 3), ['? Allow edit?', '    .env', '    secret_file: .env'])
  assert.deepEqual(lines.slice(-2), ['    -A=1', '    +A=2'])
})

test("an agent's own options are shown by their names, each with a key", async () => {
  const own = [
    { id: 'suggestion-1', kind: 'allow_always' as const, label: 'Always allow: Bash(npm:*)' },
    { id: 'suggestion-2', kind: 'allow_always' as const, label: 'Always allow: mode acceptEdits' },
    { id: 'allow', kind: 'allow_once' as const, label: 'Yes\u001b[2J' },
    { id: 'interrupt', kind: 'cancel' as const, label: 'Reject and stop' },
  ]
  const menus: (string | undefined)[] = []
  const chosen = async (key: string): Promise<unknown> => {
    const ask = createChatAsk({
      style,
      width: () => 60,
      show: ({ menu }) => menus.push(menu().join('\n')),
      settle() {},
      keyboard: { choose: () => Promise.resolve(key), words: () => Promise.resolve({ text: '' }) },
    })
    return (await ask(question({ options: own }), new AbortController().signal))?.option
  }
  assert.deepEqual(await Promise.all(['a', '2', 'y', 'c'].map(chosen)), ['suggestion-1', 'suggestion-2', 'allow', 'interrupt'])
  assert.match(menus[0]!, /^  a Always allow: Bash\(npm:\*\) · 2 Always allow: mode\n  acceptEdits · y Yes\\u001b\[2J · c Reject and stop$/)
})

/** Answers with these keys and words, one after another. */
function answering(keys: (string | undefined)[], words: (Words | undefined)[] = []) {
  const shown: string[] = []
  const settled: string[] = []
  const ask = createChatAsk({
    keyboard: { choose: () => Promise.resolve(keys.shift()), words: () => Promise.resolve(words.shift()) },
    style,
    width: () => 60,
    show: ({ menu }) => shown.push(menu()[0]!),
    settle: (lines) => settled.push(...lines),
  })
  return { ask, shown, settled }
}

const signal = new AbortController().signal

test('questions come one after another, and each answer is its own', async () => {
  const { ask, shown, settled } = answering(['a', 'n', undefined], [{ text: '' }])
  const without = options.filter(({ kind }) => kind !== 'allow_always')
  const replies = await Promise.all([ask(question(), signal), ask(question({ options: without }), signal), ask(question(), signal)])
  assert.deepEqual(replies, [{ option: 'allow_always', by: 'terminal' }, { option: 'reject_once', by: 'terminal' }, undefined])
  assert.deepEqual(shown, [
    '  y yes, once · a always · n no',
    '  y yes, once · n no',
    '  no, because: ▏',
    '  y yes, once · a always · n no',
  ])
  assert.deepEqual(settled, ['  ✔ always allowed: bash "npm *"', '  ✘ refused', '  ■ withdrawn'])
})

test('a no can have a reason, which the agent is told; one can go back from it', async () => {
  const { ask, settled } = answering(['n', 'n'], ['back', { text: 'use pnpm' }])
  const text = 'The user did not allow this call, and says: use pnpm'
  assert.deepEqual(await ask(question(), signal), { option: 'reject_once', by: 'terminal', text })
  assert.deepEqual(settled, ['  ✘ refused: use pnpm'])
})

test('a question that is withdrawn while the reason is typed is no refusal', async () => {
  const { ask, settled } = answering(['n'], [undefined])
  assert.equal(await ask(question(), signal), undefined)
  assert.deepEqual(settled, ['  ■ withdrawn'])
})

test('a question that is gone before its turn is not shown', async () => {
  const { ask, shown, settled } = answering(['y'])
  assert.equal(await ask(question(), AbortSignal.abort()), undefined)
  assert.deepEqual([shown, settled], [[], []])
})
