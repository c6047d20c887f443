// The schema for editors, the checker and the page about settings say the same.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { schemaPath, schemaText } from '../scripts/config-schema.ts'
import { parseSettings } from '../src/config/parse.ts'
import { settingsSchema } from '../src/config/schema.ts'
import { blocksOf, textOf } from './docs.ts'
import { judgeAlike, keysOf } from './schemas.ts'

test('share/config.schema.json is current', () => {
  assert.equal(readFileSync(schemaPath, 'utf8'), schemaText(), 'run node scripts/config-schema.ts')
})

test('the checker and a validator of JSON Schema judge alike', () => judgeAlike(settingsSchema))

test('the page names every key, and its settings are settings', async () => {
  const page = textOf('docs/config.md')
  for (const key of new Set(keysOf(settingsSchema))) assert.ok(page.includes(`\`${key}\``), `docs/config.md does not tell of ${key}`)
  const files = blocksOf('docs/config.md').filter(({ info }) => info === 'yaml' || info === 'jsonc')
  assert.ok(files.length >= 2)
  for (const { page: shown, lines, info } of files) await parseSettings(lines.join('\n'), `/sluice.${info}`, { shown, home: '/home/me' })
})
