// Writes share/config.schema.json, which editors use to check and complete settings, from its one definition.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsSchema } from '../src/config/schema.ts'

export const schemaPath = join(import.meta.dirname, '../share/config.schema.json')
export const schemaText = (): string => `${JSON.stringify(settingsSchema, null, 2)}\n`

if (import.meta.main) writeFileSync(schemaPath, schemaText())
