// The one definition of the canonical event. Types, JSON Schema and the compiled validator all come from here.
import { messageFamily } from './schema-message.ts'
import { sessionFamily } from './schema-session.ts'
import { stateFamily } from './schema-state.ts'
import { toolFamily } from './schema-tool.ts'

export const eventSchemas = [...sessionFamily, ...messageFamily, ...toolFamily, ...stateFamily]
