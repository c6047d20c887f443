import assert from 'node:assert/strict'
import test from 'node:test'
import { builtinTools } from './index.ts'
import { createProject } from './support.test.ts'
import { todoTool } from './todowrite.ts'

const { call } = await createProject()

test('a list becomes a plan; what was cancelled is not in it, and that is told', async () => {
  const todos = [
    { content: 'a', status: 'completed', priority: 'high' },
    { content: 'b', status: 'in_progress' },
    { content: 'c', status: 'pending' },
    { content: 'd', status: 'cancelled' },
  ]
  const { text, data, events, plan } = await call(todoTool, { todos })
  const entries = [
    { text: 'a', status: 'done', priority: 'high' },
    { text: 'b', status: 'active' },
    { text: 'c', status: 'pending' },
  ]
  assert.deepEqual(events, [{ kind: 'plan.update', payload: { entries } }])
  assert.equal(text, '2 of 4 to do; 1 cancelled and no longer in the plan')
  assert.deepEqual(data, { todos, truncated: false })
  assert.deepEqual(plan.ask, { permission: 'todowrite', patterns: ['*'] })
})

test('every tool has a name of its own and a schema whose required arguments it describes', () => {
  const tools = builtinTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['bash', 'read', 'glob', 'grep', 'edit', 'write', 'webfetch', 'todowrite'],
  )
  for (const { parameters, name } of tools) {
    assert.equal(parameters.type, 'object', name)
    for (const key of parameters.required ?? []) assert.ok(parameters.properties?.[key], `${name} ${key}`)
  }
})
