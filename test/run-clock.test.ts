// A clock that is set back while a run lasts: no duration is negative, and times do not go back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formats, place, tell, model } from './run-support.ts'

const script = 'turns: [{text: one, tools: [{name: bash, input: {command: "echo hi"}}]}, {text: two}]'
const setBack = (readings: number): string =>
  `--import data:text/javascript,const%20real=Date.now;let%20n=0;Date.now=()=>real()-(++n>${readings}?36e5:0)`

const negative = (value: unknown, path = ''): string[] => {
  if (typeof value === 'number') return value < 0 ? [`${path}: ${value}`] : []
  return typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([key, one]) => negative(one, `${path}.${key}`)) : []
}

test('a clock that is set back makes no duration negative', async (t) => {
  const here = place(t)
  const { args } = await model(t, here, 'script', script)
  for (const readings of [5, 20, 40, 60]) {
    const told = await tell(here, ['go', ...args, '--auto-approve'], { env: { NODE_OPTIONS: setBack(readings) } })
    assert.equal(told.code, 0, told.stderr)
    for (const format of formats)
      assert.deepEqual(
        told[format].flatMap((record) => negative(record)),
        [],
        `${format} after ${readings}`,
      )
    const times = told.sluice.map(({ at }) => Number(at))
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    assert.doesNotMatch(told.stderr, /-\d+(\.\d+)? m?s/)
  }
})
