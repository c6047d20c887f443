// Where a recorder passes a request on to. Without an upstream of the user's, a request goes to the provider whose API it speaks; when
// neither its path nor its headers say whose it is, it goes nowhere: a key must not reach a stranger.
import { lookup } from 'node:dns/promises'
import type { IncomingHttpHeaders } from 'node:http'
import type { Asked } from './door.ts'

/** `provider`: the name in front of the model; without it the one that the API belongs to. */
export type Upstream = { url: URL; provider: string | undefined }

const providers: Record<string, { provider: string; origin: string }> = {
  anthropic: { provider: 'anthropic', origin: 'https://api.anthropic.com' },
  responses: { provider: 'openai', origin: 'https://api.openai.com' },
  chat: { provider: 'openai', origin: 'https://api.openai.com' },
  gemini: { provider: 'google', origin: 'https://generativelanguage.googleapis.com' },
}

/** The provider of an API, and its address with the path of the request; undefined when it is not clear whose it is. */
export function targetOf(asked: Asked, headers: IncomingHttpHeaders, upstream?: Upstream): { provider: string; url: URL } | undefined {
  const api = apiOf(asked, headers)
  const own = api === undefined ? undefined : providers[api]!
  if (upstream !== undefined) {
    const provider = upstream.provider ?? (api === 'chat' ? 'openai-compatible' : (own?.provider ?? 'unknown'))
    return { provider, url: joined(upstream.url, asked) }
  }
  return own && { provider: own.provider, url: joined(new URL(own.origin), asked) }
}

function apiOf({ face, pathname, query }: Asked, headers: IncomingHttpHeaders): string | undefined {
  if (face !== undefined) return face.name
  if (headers['x-goog-api-key'] !== undefined || pathname.startsWith('/v1beta/') || query.has('key')) return 'gemini'
  if (headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined) return 'anthropic'
  return pathname.startsWith('/v1/') && headers.authorization !== undefined ? 'chat' : undefined
}

/** An address that ends with a version has that instead of the request's. */
function joined(base: URL, { pathname, path, search }: Asked): URL {
  const url = new URL(base)
  const root = base.pathname.replace(/\/+$/, '')
  url.pathname = root + (/\/v\d\w*$/.test(root) ? path : pathname)
  url.search = search
  return url
}

/** Whether an address is that of a server on this port of loopback: what is passed on to it would come back for ever. */
export async function leadsTo(url: URL, port: number): Promise<boolean> {
  if (Number(url.port || (url.protocol === 'https:' ? 443 : 80)) !== port) return false
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await lookup(host, { all: true }).catch(() => [])
  return addresses.some(({ address }) => /^(127\.|0\.0\.0\.0$|::1?$|::ffff:(127\.|7f|0:0$))/.test(address))
}
