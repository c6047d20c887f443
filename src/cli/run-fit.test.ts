import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../agents/find.ts'
import { checkFit } from './run-fit.ts'
import { agentOptions, runOptions } from './run-options.ts'

const agents = kinds.map(({ name }) => ({ acp: 'acp:agent', replay: 'replay:file' })[name] ?? name)
const options = { ...agentOptions, ...runOptions, file: { type: 'string', many: true } }

/** The options that an agent refuses, each given alone or with another. */
const refused = (agent: string, more: Record<string, boolean> = {}): string[] =>
  Object.entries(options).flatMap(([name, { type, ...spec }]) => {
    const value = type === 'boolean' ? true : 'many' in spec ? ['x'] : 'x'
    try {
      checkFit({ ...more, [name]: value }, agent)
      return []
    } catch (error) {
      assert.match((error as Error).message, new RegExp(`^--${name} (does nothing|cannot be enforced) `))
      return [name]
    }
  })

test('an option that would do nothing for an agent is refused', () => {
  const questions = 'permission auto-approve confirm read-only dry-run strict permission-timeout permission-handler file'.split(' ')
  const other = ['no-stream', 'api-retries', 'replay-speed']
  const expected: Record<string, string[]> = {
    builtin: ['agent-mode', 'one-way', 'replay-speed'],
    claude: ['api-retries', 'replay-speed'],
    codex: [...other, 'strict'],
    gemini: [...other, 'strict'],
    opencode: other,
    copilot: [...other, 'strict'],
    'acp:agent': [...other, 'one-way', 'read-only', 'dry-run', 'strict'],
    'replay:file': ['model', 'continue', 'resume', 'fork', 'no-stream', 'api-retries', 'agent-mode', 'one-way', ...questions],
  }
  for (const agent of agents) assert.deepEqual(refused(agent).toSorted(), expected[agent]?.toSorted(), agent)
  assert.deepEqual(refused('codex', { 'one-way': true }).toSorted(), [...other, ...questions].toSorted())
  assert.deepEqual(refused('cluade'), [], 'who is not known is told of elsewhere')
})

test('a gate that an agent cannot be held to is refused, with what would work', () => {
  const refusal = (values: Record<string, unknown>, agent: string): string => {
    try {
      checkFit(values as Parameters<typeof checkFit>[0], agent)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  const gates = [{ 'read-only': true }, { 'dry-run': true }, { permission: ['bash:rm *=deny'] }]
  for (const gate of gates) {
    assert.match(
      refusal(gate, 'acp:node agent.mjs'),
      /cannot be enforced with the agent "acp:node agent.mjs": .*use one of builtin, claude/,
    )
    for (const agent of ['builtin', 'claude', 'codex', 'gemini', 'opencode', 'copilot', 'acp:opencode acp', 'acp:npx codex-acp@2.6.0'])
      assert.equal(refusal(gate, agent), '', agent)
    for (const mode of ['full-access', 'never', 'workspace-write'])
      assert.match(refusal({ ...gate, 'agent-mode': mode }, 'codex'), /leave out --agent-mode/, mode)
    assert.match(refusal({ ...gate, 'agent-mode': 'yolo' }, 'gemini'), /leave out --agent-mode/)
    assert.equal(refusal({ ...gate, 'agent-mode': 'bypassPermissions' }, 'claude'), '', 'a hook sees every call')
  }
  assert.equal(refusal({ permission: ['bash=allow', 'edit=ask'] }, 'acp:agent'), '')
  assert.match(refusal({ strict: true }, 'codex'), /use one of builtin, claude, opencode$/)
})

test('what is refused says for which agents it is', () => {
  const one = { name: 'CommandError', exitCode: 2 }
  assert.throws(() => checkFit({ 'agent-mode': 'plan' }, 'builtin'), {
    ...one,
    message: '--agent-mode does nothing for the agent "builtin": it is for claude, codex, gemini, opencode, copilot, acp',
  })
  assert.throws(() => checkFit({ 'one-way': true, 'read-only': true }, 'claude'), {
    ...one,
    message: '--read-only does nothing with --one-way: there the agent gets one text, and nobody is asked',
  })
})
