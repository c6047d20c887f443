import { testDialect } from '../suite.test.ts'
import { cutShort, namesIn, support } from './support.test.ts'

testDialect(support, { streams: [...namesIn('', '.ndjson'), ...namesIn('', '.chat.jsonl'), 'i-json.json'], cutShort, claims: () => 0.9 })
