// The schema for editors, the checker and the page about scripts say the same.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { schemaPath, schemaText } from '../scripts/script-schema.ts'
import { loadScript } from '../src/script/load.ts'
import { scriptSchema } from '../src/script/schema.ts'
import { blocksOf, textOf } from './docs.ts'
import { judgeAlike, keysOf } from './schemas.ts'

test('share/script.schema.json is current', () => {
  assert.equal(readFileSync(schemaPath, 'utf8'), schemaText(), 'run node scripts/script-schema.ts')
})

test('the checker and a validator of JSON Schema judge alike', () => judgeAlike(scriptSchema))

test('the page names every key, and its scripts are scripts', async () => {
  const page = textOf('docs/script.md')
  for (const key of keysOf(scriptSchema)) assert.ok(page.includes(`\`${key}\``), `docs/script.md does not tell of ${key}`)
  const scripts = blocksOf('docs/script.md').filter(({ info }) => info === 'yaml')
  assert.ok(scripts.length >= 2)
  for (const { page: file, lines } of scripts) await loadScript(lines.join('\n'), file)
})
