import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandServer } from './servers.ts'

test('variables in headers and in the environment get their values, elsewhere they are text', () => {
  const env = { KEY: 'k$&{env:X}' }
  assert.deepEqual(expandServer({ url: 'http://{env:KEY}', headers: { A: 'Bearer {env:KEY}!' } }, env), {
    url: 'http://{env:KEY}',
    headers: { A: 'Bearer k$&{env:X}!' },
  })
  assert.deepEqual(expandServer({ command: ['{env:KEY}'], environment: { B: '{env:KEY}' }, timeout: 1 }, env), {
    command: ['{env:KEY}'],
    environment: { B: 'k$&{env:X}' },
    timeout: 1,
  })
})

test('a variable that is not set is an error, unless the server is not used', () => {
  const server = { url: 'http://x', headers: { A: '{env:NONE}' } }
  assert.throws(() => expandServer(server, {}), /the environment variable NONE is not set/)
  assert.deepEqual(expandServer({ ...server, enabled: false }, {}), { ...server, enabled: false })
})
