import { testDialect } from '../suite.test.ts'
import { cutShort, recordings, support } from './support.test.ts'

testDialect(support, { streams: recordings(), cutShort, claims: () => 1, keepsKeys: 'inside', writesParts: true })
