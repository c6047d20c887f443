// Clients that leave or read slowly. They are plain sockets: fetch would do neither, and keeps timers of its own.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { portOf, scripted, type Scripted, settled } from '../../test/scripted.ts'

const messages = [{ role: 'user', content: 'hi' }]

function requestOf(of: object): string {
  const body = JSON.stringify(of)
  return `POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

function send(server: Scripted, text: string): Socket {
  const socket = connect(portOf(server), '127.0.0.1')
  socket.write(text)
  return socket
}

test('a client that leaves stops the answer and its timer', async (t) => {
  const server = await scripted(t, 'turns: [{text: abcdef, chunk: 1, delay: 30s}]')
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  for (const [index, stream] of [true, false].entries()) {
    const socket = send(server, requestOf({ model: 'm', messages, stream }))
    while (timers() === before) await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
    await settled(server, index + 1)
    assert.equal(timers(), before)
  }
  assert.deepEqual(
    server.entries.map(({ end }) => end),
    ['closed', 'closed'],
  )
})

test('a client that leaves in the middle of its request, or of a large answer, harms nobody', async (t) => {
  const server = await scripted(t, JSON.stringify({ turns: [{ text: 'x'.repeat(5_000_000), chunk: 10 }] }))
  const whole = requestOf({ model: 'm', messages, stream: true })
  for (const sent of [whole.slice(0, -10), whole]) {
    const socket = send(server, sent)
    await once(socket, sent === whole ? 'data' : 'connect')
    socket.resetAndDestroy()
  }
  let text = ''
  for await (const part of send(server, requestOf({ model: 'm', messages }))) text += String(part)
  assert.match(text, /"stop_reason":"end_turn"/)
})

test('a client that reads slowly gets all, and costs no memory and nobody time', async (t) => {
  const server = await scripted(
    t,
    JSON.stringify({
      turns: [
        { text: 'x'.repeat(20_000_000), chunk: 1 },
        { text: 'y'.repeat(20_000_000), chunk: 1000 },
      ],
    }),
  )
  const before = process.memoryUsage().rss
  const slow = send(server, requestOf({ model: 'm', messages, stream: true })) // two gigabytes, if somebody read them
  await once(slow, 'readable')
  const second = [...messages, { role: 'assistant', content: 'x' }, ...messages]
  let size = 0
  for await (const part of send(server, requestOf({ model: 'm', messages: second, stream: true }))) size += (part as Buffer).length
  assert.ok(size > 20_000_000)
  assert.deepEqual(
    server.entries.map(({ turn, end }) => [turn, end]),
    [[2, 'whole']],
  )
  assert.ok(process.memoryUsage().rss - before < 300 * 2 ** 20)
  slow.destroy()
  await settled(server, 2)
})
