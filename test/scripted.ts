// A scripted model on loopback for the length of a test, and what a client of it needs.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { loadScript } from '../src/script/load.ts'
import { type Entry, serveScript } from '../src/script/server.ts'

export type Scripted = {
  url: string
  /** Requests that have ended, oldest first. */
  entries: Entry[]
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

/** The time that its answers name, in seconds. */
export const madeAt = 1_700_000_000

export async function scripted(t: TestContext, script: string): Promise<Scripted> {
  const entries: Entry[] = []
  const server = await serveScript(
    await loadScript(script, 'test.yaml'),
    0,
    (entry) => entries.push(entry),
    () => madeAt * 1000,
  )
  t.after(server.close)
  const post = (path: string, body: unknown, headers = {}): Promise<Response> =>
    fetch(server.url + path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers })
  return { ...server, entries, post }
}

export const portOf = ({ url }: { url: string }): number => Number(new URL(url).port)

/** Until so many requests have ended on the server's side. */
export async function settled({ entries }: Scripted, count: number): Promise<void> {
  while (entries.length < count) await new Promise((resolve) => setImmediate(resolve))
}

export type ServerEvent = { event: string | undefined; data: unknown }

/** The events of a stream; every line of it must be understood. */
export async function eventsOf(response: Response): Promise<ServerEvent[]> {
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  return eventsIn(await response.text())
}

export function eventsIn(text: string): ServerEvent[] {
  assert.ok(text.endsWith('\n\n'), 'the stream ends in the middle of an event')
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const [, event, data] = /^(?:event: (.*)\n)?data: (.*)$/.exec(block) ?? assert.fail(`not an event: ${block}`)
      return { event, data: data === '[DONE]' ? data : (JSON.parse(data!) as unknown) }
    })
}

/** What came before the connection broke. */
export async function textUntilCut(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  await assert.rejects(async () => {
    for await (const part of response.body as AsyncIterable<Uint8Array>) text += decoder.decode(part, { stream: true })
  }, 'the connection was not cut')
  return text
}

/** One turn with everything: thought, text in pieces, two calls, all five counts. */
export const fullTurn = `
  - think: Which city?
    text: Hi 🙂!
    chunk: 4
    tools:
      - {name: weather, input: {city: Bern}}
      - {name: ring, input: {}, id: mine}
    usage: {input: 1, output: 20, reasoning: 300, cacheRead: 4000, cacheWrite: 50000}
`
