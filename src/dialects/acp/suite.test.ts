import { testDialect } from '../suite.test.ts'
import { agents, namesIn, support } from './support.test.ts'

testDialect(support, {
  streams: agents.flatMap((agent) => namesIn(`${agent}/`, '.ndjson')),
  claims: () => 0.3,
  keepsKeys: 'inside',
  writesParts: true,
})
