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
      assert.match((error as Error).message, new RegExp(`^--${name} does nothing `))
      return [name]
    }
  })

test('an option that would do nothing for an agent is refused', () => {
  const questions = 'permission auto-approve confirm read-only dry-run strict permission-timeout permission-handler file'.split(' ')
  const other = ['no-stream', 'api-retries', 'replay-speed']
  const expected: Record<string, string[]> = {
    builtin: ['agent-mode', 'one-way', 'replay-speed'],
    claude: ['api-retries', 'replay-speed'],
    codex: other,
    gemini: other,
    opencode: other,
    copilot: other,
    'acp:agent': [...other, 'one-way'],
    'replay:file': ['model', 'continue', 'resume', 'fork', 'no-stream', 'api-retries', 'agent-mode', 'one-way', ...questions],
  }
  for (const agent of agents) assert.deepEqual(refused(agent).toSorted(), expected[agent]?.toSorted(), agent)
  assert.deepEqual(refused('codex', { 'one-way': true }).toSorted(), [...other, ...questions].toSorted())
  assert.deepEqual(refused('cluade'), [], 'who is not known is told of elsewhere')
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
