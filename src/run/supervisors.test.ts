import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createPipeline } from './pipeline.ts'
import { stagesOf } from './supervisors.ts'

test('the status never shows the beginning of a key that its label would cut', () => {
  const key = `sk-ant-api03-${'Ab1Cd2Ef3Gh4'.repeat(8)}`
  const own = 'correct horse battery staple'
  const told: Event[] = []
  const stages = stagesOf({ values: [own], patterns: [] }, undefined)
  const pipeline = createPipeline(stages, [{ push: (event) => void told.push(event), flush() {}, end() {} }])
  const titles = [`curl -H 'x-api-key: ${key}' ${'a'.repeat(99)}`, `${'b'.repeat(70)} ${key}`, `${'c'.repeat(100)} ${own} and on`]
  for (const [index, title] of titles.entries())
    pipeline.emit([makeEvent('tool.start', { name: 'bash', toolKind: 'execute', title }, { session: 's', turn: 1, call: String(index) })])
  pipeline.end()
  const labels = told.flatMap((event) => (event.kind === 'status.update' ? [event.label] : []))
  assert.equal(labels.length, 3)
  for (const label of labels) assert.doesNotMatch(label!, /sk-ant|Ab1C|correct h/)
})
