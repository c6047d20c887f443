import { testDialect } from '../suite.test.ts'
import { namesIn, support } from './support.test.ts'

testDialect(support, {
  streams: namesIn('document/', '.ndjson'),
  claims: () => 1,
  keepsKeys: 'anywhere',
  breaks: /an answer by .* which is not open$/,
  writesParts: true,
  typeKey: 'event',
})
