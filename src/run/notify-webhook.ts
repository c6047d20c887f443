// --webhook: a message by POST. It is tried a few times, goes to the address that was named and nowhere else, and of the answer only the
// status counts. What is told of a failure names the host alone: the rest of an address may be a secret.
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { quoted } from '../base/text.ts'
import { spanText } from '../supervise/policy.ts'
import type { Deliver } from './notify-queue.ts'

export type Webhook = { url: URL; secret?: string | undefined }

export type WebhookTimes = {
  /** For an answer. */
  timeoutMs: number
  /** Before the second try, the third and so on. */
  pausesMs: readonly number[]
  /** Of what the receiver may ask for. */
  longestPauseMs: number
}
const webhookTimes: WebhookTimes = { timeoutMs: 10_000, pausesMs: [1000, 2000, 4000], longestPauseMs: 30_000 }

const mostWords = { bytes: 1 << 16, ms: 500 }

const secretName = 'SLUICE_WEBHOOK_SECRET'

/** What is wrong with the address, for a person. It holds nothing of the address but its scheme. */
export class WebhookError extends Error {}

export function webhookOf(address: string, env: Readonly<Record<string, string | undefined>>): Webhook {
  const url = URL.parse(address)
  if (url === null) throw new WebhookError('--webhook needs an address such as https://example.org/hook')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new WebhookError(`--webhook takes an https or http address, not ${quoted(url.protocol.slice(0, -1))}`)
  return { url, secret: env[secretName] || undefined }
}

/** Of the body, as it is sent. */
const signatureOf = (body: string, secret: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** `afterMs`: what the receiver asks for. */
type Refusal = { why: string; again: boolean; afterMs?: number | undefined }

export function createWebhook({ url, secret }: Webhook, times: WebhookTimes = webhookTimes): Deliver {
  const { timeoutMs, pausesMs, longestPauseMs } = times
  const { address, authorization } = apart(url)

  async function post(body: string, delivery: string, over: AbortSignal): Promise<Refusal | undefined> {
    const stop = new AbortController()
    const end = (): void => stop.abort()
    const timer = setTimeout(end, timeoutMs)
    over.addEventListener('abort', end)
    try {
      const response = await fetch(address, {
        method: 'POST',
        body,
        redirect: 'manual',
        signal: stop.signal,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'sluice',
          'sluice-delivery': delivery,
          ...(authorization !== undefined && { authorization }),
          ...(secret !== undefined && { 'sluice-signature': signatureOf(body, secret) }),
        },
      })
      await discard(response, stop)
      return refusalOf(response)
    } catch (error) {
      if (stop.signal.aborted) return { why: `gave no answer within ${spanText(timeoutMs)}`, again: true }
      return unreached(error)
    } finally {
      clearTimeout(timer)
      over.removeEventListener('abort', end)
    }
  }

  return async (body, over) => {
    const delivery = randomUUID()
    let trouble = ''
    for (let attempt = 0; !over.aborted; attempt++) {
      const refusal = await post(body, delivery, over)
      if (refusal === undefined) return undefined
      const pause = pausesMs[attempt]
      if (over.aborted) break
      if (!refusal.again || pause === undefined) return `${url.host} ${refusal.why}`
      trouble = `: it ${refusal.why}`
      await sleep(Math.min(longestPauseMs, Math.max(pause, refusal.afterMs ?? 0)), undefined, { signal: over }).catch(() => {})
    }
    return `the run was over before ${url.host} took the message${trouble}`
  }
}

/** A receiver that wants to say a few words may; then the connection is good for the next message. */
async function discard({ body }: Response, stop: AbortController): Promise<void> {
  const timer = setTimeout(() => stop.abort(), mostWords.ms)
  let left = mostWords.bytes
  try {
    for await (const chunk of body ?? []) if ((left -= chunk.length) < 0) break
  } catch {
    // the status has come, and that is enough
  } finally {
    clearTimeout(timer)
  }
}

/** A name and a password in an address are for a header. */
function apart(url: URL): { address: URL; authorization?: string } {
  if (url.username === '' && url.password === '') return { address: url }
  const address = new URL(url)
  address.username = address.password = ''
  const words = [url.username, url.password].map(decoded).join(':')
  return { address, authorization: `Basic ${Buffer.from(words).toString('base64')}` }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function refusalOf({ status, headers }: Response): Refusal | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return { why: `redirects (${status}), which is not followed: name the final address`, again: false }
  const again = status === 408 || status === 429 || status >= 500
  return { why: `answered ${status}`, again, afterMs: afterOf(headers.get('retry-after')) }
}

/** Seconds, or a date. */
function afterOf(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined
  const ms = Number.isNaN(Number(value)) ? Date.parse(value) - Date.now() : Number(value) * 1000
  return Number.isNaN(ms) ? undefined : ms
}

/** The code alone: a message may hold the address. `fetch` refuses the ports of some other protocols, and has no code for that. */
function unreached(error: unknown): Refusal {
  const { code, message } = ((error as Error).cause ?? error) as { code?: unknown; message?: unknown }
  if (message === 'bad port') return { why: 'has a port that is kept for another protocol: let it listen on another one', again: false }
  return { why: `cannot be reached (${typeof code === 'string' ? code : 'the connection failed'})`, again: true }
}
