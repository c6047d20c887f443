import { testDialect } from '../suite.test.ts'
import { cutShort, namesIn, support } from './support.test.ts'

testDialect(support, { streams: [...namesIn('', '.ndjson'), ...namesIn('', '.session.jsonl')], cutShort, claims: () => 1, typeKey: 'type' })
