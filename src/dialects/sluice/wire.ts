// The canonical event as a dialect of its own: its records are the events.
import type { TSchema } from 'typebox'
import { eventSchemas } from '../../model/schema.ts'

export const records: Record<string, TSchema> = Object.fromEntries(eventSchemas.map((schema) => [schema.properties.kind.const, schema]))
