import { testDialect } from '../suite.test.ts'
import { all, cutShort, support } from './support.test.ts'

testDialect(support, { streams: all, cutShort, claims: () => 0.3 })
