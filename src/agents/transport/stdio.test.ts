import { stdio } from './stdio.ts'
import { testTransport } from './suite.test.ts'

testTransport({ way: 'stdio', transport: stdio, module: 'stdio', say: (to, word) => to.write(`${word}\n`) })
