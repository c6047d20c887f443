// Which addresses may be fetched from: public ones alone. A name is looked up here, once, and the connection goes to exactly the
// addresses that were looked at, so that a second answer of the name server changes nothing.
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { quoted } from '../../../base/text.ts'
import { ToolError } from './tool.ts'

export type Resolve = (host: string) => Promise<LookupAddress[]>

/** Names of this machine and of the services that tell a cloud machine its keys, whatever they resolve to. */
const innerNames = /^(localhost|metadata|instance-data)$|\.(localhost|local|internal|intranet|lan|home\.arpa)$/
/** A public address by its range, which answers only inside Azure. */
const innerAddresses = ['168.63.129.16']

export const resolveName: Resolve = (host) => lookup(host, { all: true })

/** Throws when it is no address to fetch from. Odd spellings of numbers (decimal, octal, hexadecimal) are plain ones after this. */
export function parseAddress(text: string, base?: URL): URL {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined
  if (url === undefined) throw new ToolError(`${quoted(text, 200)} is not an address; give one that begins with https://`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolError(`${quoted(text, 200)} is neither http nor https; only these are fetched`)
  if (url.username !== '' || url.password !== '') throw new ToolError('the address holds a user name or password; leave them out')
  return url
}

/** As rules name it: without brackets and without the dot that may end a name. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** The addresses of a host, all of them public; of a host that a rule names, whatever they are. */
export async function addressesOf(host: string, isNamed: boolean, resolve: Resolve): Promise<LookupAddress[]> {
  const refuse = (why: string): never => {
    throw new ToolError(`${quoted(host)} ${why}; only public addresses are fetched, unless a permission rule names the host`)
  }
  if (!isNamed && innerNames.test(host)) refuse('is a name of this machine or of a private network')
  const addresses = isIP(host) === 0 ? await found(host, resolve) : [{ address: host, family: isIP(host) }]
  if (isNamed) return addresses
  for (const { address } of addresses) {
    if (await isPublic(address)) continue
    refuse(address === host ? 'is not a public address' : `leads to ${address}, which is not a public address`)
  }
  return addresses
}

async function found(host: string, resolve: Resolve): Promise<LookupAddress[]> {
  try {
    const addresses = await resolve(host)
    if (addresses.length > 0) return addresses
  } catch (error) {
    throw new ToolError(`${quoted(host)} cannot be found: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`, {
      cause: error,
    })
  }
  throw new ToolError(`${quoted(host)} has no address`)
}

/** Of version 6 only the global range, and in it none that wraps an address of version 4, whose range nobody checks on the way. */
export async function isPublic(address: string): Promise<boolean> {
  const { default: ip } = await import('ipaddr.js')
  if (!ip.isValid(address) || innerAddresses.includes(address)) return false
  const parsed = ip.process(address) // an IPv4-mapped one becomes what it stands for
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast' && !innerAddresses.includes(parsed.toString())
  return parsed.range() === 'unicast' && parsed.match(ip.parseCIDR('2000::/3'))
}
