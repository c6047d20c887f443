// `sluice watch --follow` of a run that is tried again goes on until the run is over, in every format.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formats, model, outputs, place, sluice, start } from './run-support.ts'

test('a run whose first attempt fails is followed to the end of the second', async (t) => {
  const here = place(t)
  const turns = [{ error: { status: 500, message: 'broken', times: 1 }, text: 'Now it works.' }]
  const { args } = await model(t, here, 'script', JSON.stringify({ turns }))
  const out = outputs(here)
  const watches = formats.map((format) => sluice(here, ['watch', '--follow', out.file(format)]))
  const ran = await start(here, ['run', 'go', '--api-retries', '0', '--max-retries', '2', ...args, ...out.args]).ended
  assert.equal(ran.code, 0, ran.stderr)
  for (const [index, watch] of watches.entries()) {
    const { code, stdout } = await watch
    assert.equal(code, 0, formats[index])
    assert.match(stdout, /Now it works\./, formats[index])
  }
})
