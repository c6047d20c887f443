import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRules, parseRule } from '../supervise/rules.ts'
import { ownTools, toolRows, verdictText } from './tools-list.ts'

const tool = (name: string, server?: string) => ({
  name,
  source: server === undefined ? ('builtin' as const) : ('mcp' as const),
  ...(server !== undefined && { server }),
  description: 'Does a thing. And more.\nDetails',
  parameters: { type: 'object' },
})
const verdicts = (rules: readonly string[], only?: string[]): Record<string, string> =>
  Object.fromEntries(
    toolRows({
      tools: [tool('bash'), tool('read'), tool('files_list', 'files')],
      profile: only === undefined ? {} : { tools: only },
      rules: [...defaultRules, ...rules.map(parseRule)],
    }).map((row) => [row.name, verdictText(row)]),
  )

test('a tool says what holds for it, and how many narrower rules there are', () => {
  assert.deepEqual(verdicts([]), { bash: 'ask', read: 'allow', files_list: 'ask' })
  assert.deepEqual(verdicts(['bash:git *=allow', 'bash:rm *=deny', 'files_*=allow', 'read:secret/*=deny']), {
    bash: 'ask, 2 rules',
    read: 'allow, 1 rule',
    files_list: 'allow',
  })
})

test('a rule for everything covers the narrower ones before it', () => {
  assert.deepEqual(verdicts(['bash:git *=allow', 'bash=allow'])['bash'], 'allow')
})

test('what the model does not see is hidden: denied whatever it is given, or not of the profile', () => {
  assert.deepEqual(verdicts(['bash=deny'])['bash'], 'hidden')
  assert.deepEqual(verdicts([], ['read', 'files_*']), { bash: 'hidden', read: 'allow', files_list: 'ask' })
})

test('one sentence is enough; skills and subagents are there when there are any', () => {
  assert.equal(toolRows({ tools: [tool('bash')], profile: {}, rules: [] })[0]!.description, 'Does a thing.')
  assert.deepEqual(
    ownTools(2, []).map(({ name }) => name),
    ['skill'],
  )
  assert.deepEqual(
    ownTools(0, ['default', 'explore']).map(({ name }) => name),
    ['task'],
  )
})

test('a row has the arguments of its tool', () => {
  const rows = toolRows({ tools: [tool('bash'), ...ownTools(1, ['default', 'explore'])], profile: {}, rules: [] })
  assert.deepEqual(
    rows.map(({ name, parameters }) => [name, Object.keys((parameters['properties'] ?? {}) as object)]),
    [
      ['bash', []],
      ['skill', ['name']],
      ['task', ['description', 'prompt', 'subagent_type', 'task_id']],
    ],
  )
})
