import { testDialect } from '../suite.test.ts'
import { cutShort, runs, servers, support } from './support.test.ts'

testDialect(support, { streams: [...runs, ...servers], cutShort, claims: (path) => (runs.includes(path) ? 0.7 : 1) })
