// Writes share/script.schema.json, which editors use to check and complete scripts, from its one definition.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptSchema } from '../src/script/schema.ts'

export const schemaPath = join(import.meta.dirname, '../share/script.schema.json')
export const schemaText = (): string => `${JSON.stringify(scriptSchema, null, 2)}\n`

if (import.meta.main) writeFileSync(schemaPath, schemaText())
