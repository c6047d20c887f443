// One GET over http or https. A redirect within the host is followed; one to another host is a call of its own, since what was allowed
// was this host, and a page that anybody can make redirect would carry anything anywhere. Not the built-in fetch: that one cannot be told which address to
// connect to, and a name may lead elsewhere when it is asked for a second time.
import type { LookupAddress } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { addressesOf, hostOf, parseAddress, type Resolve } from './address.ts'
import { ToolError } from './tool.ts'

export type Fetched = { url: URL; status: number; type: string; bytes: Buffer }
export type FetchOptions = { signal: AbortSignal; isNamed(url: URL): boolean; resolve: Resolve }

const mostRedirects = 5
const mostBytes = 5 * 1024 * 1024

export async function fetchPage(start: URL, options: FetchOptions): Promise<Fetched> {
  let url = start
  for (let redirects = 0; ; redirects++) {
    const host = hostOf(url)
    const addresses = await addressesOf(host, options.isNamed(url), options.resolve)
    const response = await get(url, addresses, options.signal)
    const status = response.statusCode ?? 0
    const target = [301, 302, 303, 307, 308].includes(status) ? response.headers.location : undefined
    if (target === undefined) return { url, status, type: response.headers['content-type'] ?? '', bytes: await bodyOf(response) }
    response.destroy()
    if (redirects === mostRedirects) throw new ToolError(`more than ${mostRedirects} redirects, the last from ${url.href}`)
    const next = parseAddress(target, url)
    if (url.protocol === 'https:' && next.protocol === 'http:')
      throw new ToolError(`${url.href} redirects from https to http (${next.href}); fetch that address itself if you want it`)
    if (placeOf(next) !== placeOf(url))
      throw new ToolError(`${url.href} redirects to another host (${next.href}); fetch that address itself if you want it`)
    url = next
  }
}

/** With and without www they are the same to everybody; a port that is not the usual one is another server. */
const placeOf = ({ hostname, port }: URL): string => `${hostname.replace(/^www\./, '')}:${port}`

async function get(url: URL, addresses: readonly LookupAddress[], signal: AbortSignal): Promise<IncomingMessage> {
  // Loading these takes longer than starting all the rest.
  const { request, Agent } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const lookup: LookupFunction = (_host, { all }, answer) =>
    all ? answer(null, [...addresses]) : answer(null, addresses[0]!.address, addresses[0]!.family)
  const headers = { 'user-agent': 'sluice', accept: 'text/html,text/*,application/json,*/*;q=0.5', 'accept-encoding': 'gzip, deflate, br' }
  return new Promise((resolve, reject) => {
    // An agent of its own: the shared one may go through a proxy, which would look up the name itself.
    request(url, { agent: new Agent({ keepAlive: false }), headers, lookup, signal }, resolve)
      .on('error', reject)
      .end()
  })
}

/** The decoded bytes; a small answer that unpacks to a large one is cut off as well. */
async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of await decoded(response)) {
      size += (chunk as Buffer).length
      if (size > mostBytes)
        throw new ToolError(`the answer has more than ${mostBytes / 1024 / 1024} MB; fetch it with a command if you need it`)
      chunks.push(chunk as Buffer)
    }
  } finally {
    response.destroy()
  }
  return Buffer.concat(chunks)
}

async function decoded(response: IncomingMessage): Promise<Readable> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib')
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
  if (!Object.hasOwn(decoders, encoding)) throw new ToolError(`the answer is packed as "${encoding}", which is not known here`)
  const decoder = decoders[encoding as keyof typeof decoders]()
  response.on('error', (error) => decoder.destroy(error))
  return response.pipe(decoder)
}
