import { testDialect } from '../suite.test.ts'
import { namesIn, support } from './support.test.ts'

/** Newer programs leave the model and the agent out of session_start. */
const unnamed = ['warn required-key', 'warn required-key']

testDialect(support, {
  streams: [...namesIn('document/', '.ndjson'), ...namesIn('made/', '.ndjson')],
  cutShort: ['made/cut.ndjson'],
  found: {
    'made/interrupted.ndjson': [...unnamed, 'warn words'],
    'made/newer-program.ndjson': [...unnamed, 'warn cost-shape', 'warn required-key', 'warn cost-shape', 'warn words'],
    'made/provider-failure.ndjson': [
      ...unnamed,
      'warn catalog-second',
      'warn error-before-complete',
      'warn required-key',
      'warn cost-shape',
    ],
  },
  claims: () => 0.5,
  keepsKeys: 'inside',
  typeKey: 'type',
})
