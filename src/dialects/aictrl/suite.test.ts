import { testDialect } from '../suite.test.ts'
import { namesIn, support } from './support.test.ts'

testDialect(support, {
  streams: [...namesIn('document/', '.ndjson'), ...namesIn('made/', '.ndjson')],
  cutShort: ['made/cut.ndjson'],
  found: { 'made/provider-failure.ndjson': ['warn error-before-complete'] },
  claims: () => 0.5,
  keepsKeys: 'inside',
  typeKey: 'type',
})
