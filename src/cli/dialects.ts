// The dialects a command can name. All are asked for their claims; only the ones in use are loaded.
import { nearest } from '../base/nearest.ts'
import { copyOf } from '../base/bytes.ts'
import { quoted } from '../base/text.ts'
import { claimer as acp } from '../dialects/acp/claim.ts'
import { claimer as aictrl } from '../dialects/aictrl/claim.ts'
import { claimer as appctl } from '../dialects/appctl/claim.ts'
import { claimer as avenor } from '../dialects/avenor/claim.ts'
import { claimer as claude } from '../dialects/claude/claim.ts'
import { claimer as codex } from '../dialects/codex/claim.ts'
import type { Claimer, Dialect } from '../dialects/contract.ts'
import { claimer as copilot } from '../dialects/copilot/claim.ts'
import { claimer as gemini } from '../dialects/gemini/claim.ts'
import { claimer as opencode } from '../dialects/opencode/claim.ts'
import { claimer as sluice } from '../dialects/sluice/claim.ts'
import { createSniffer, type Detection } from '../stream/detect.ts'
import type { Encoding } from '../stream/encoding.ts'
import { CommandError, exitCodes, usageError } from './exit.ts'
import { type Blocks, pump } from './io.ts'

const loaders: Record<string, () => Promise<Dialect>> = {
  acp: async () => (await import('../dialects/acp/index.ts')).acp,
  sluice: async () => (await import('../dialects/sluice/index.ts')).sluice,
  claude: async () => (await import('../dialects/claude/index.ts')).claude,
  aictrl: async () => (await import('../dialects/aictrl/index.ts')).aictrl,
  avenor: async () => (await import('../dialects/avenor/index.ts')).avenor,
  appctl: async () => (await import('../dialects/appctl/index.ts')).appctl,
  copilot: async () => (await import('../dialects/copilot/index.ts')).copilot,
  gemini: async () => (await import('../dialects/gemini/index.ts')).gemini,
  opencode: async () => (await import('../dialects/opencode/index.ts')).opencode,
  codex: async () => (await import('../dialects/codex/index.ts')).codex,
}

export const claimers: readonly Claimer[] = [sluice, claude, aictrl, avenor, appctl, gemini, codex, copilot, opencode, acp]
export const dialectNames: readonly string[] = claimers.map(({ name }) => name)
/** The ones that others can be translated into; the rest is only read. */
export const writableNames: readonly string[] = ['sluice', 'claude', 'aictrl', 'avenor', 'appctl', 'acp']

/** `others`: what else may stand in its place. */
export async function loadDialect(name: string, flag: string, others?: readonly string[]): Promise<Dialect> {
  mustBeDialect(name, flag, others)
  return loaders[name]!()
}

export function mustBeDialect(name: string, flag: string, others: readonly string[] = []): void {
  if (Object.hasOwn(loaders, name)) return
  const known = [...dialectNames, ...others]
  const near = nearest(name, known)
  throw usageError(
    `${flag} ${quoted(name)} is not a dialect${near === undefined ? '' : `; did you mean ${near}?`} (known: ${known.join(', ')})`,
  )
}

/** A stream whose dialect is known. `read` gives all its bytes, from the start; after `enough` it goes on from there. */
export type Opened = { dialect: Dialect; read(take: (block: Uint8Array) => boolean | void): ReturnType<typeof pump> }

/** Bytes that are kept until it is known: twice the longest line that is read unless somebody says otherwise. */
export const mostHeld = 1 << 28
export const inMostHeld = ` in its first ${mostHeld >> 20} MiB`

/** Chooses the dialect, from the flag or from the first records. `advice`: what to do where they do not tell it. */
export async function open(input: Blocks, from: string | undefined, advice?: string): Promise<Opened> {
  if (from !== undefined && from !== 'auto') return { dialect: await loadDialect(from, '--from'), read: (take) => pump(input, take) }
  const sniffer = createSniffer(claimers)
  const held: Uint8Array[] = []
  let size = 0
  const how = await pump(input, (block) => {
    const copy = copyOf(block) // to sniff it in steps may change the block
    held.push(copy)
    size += copy.length
    sniff(sniffer, copy)
    return sniffer.decided() || size > mostHeld
  })
  if (how === 'ended') sniffer.end()
  const choice = sniffer.choice()
  if (choice === undefined) {
    throw new CommandError(unknownText(sniffer.detection(), advice, how === 'ended' ? undefined : inMostHeld), exitCodes.usage)
  }
  return {
    dialect: await loadDialect(choice.name, '--from'),
    read(take) {
      for (const block of held.splice(0)) take(block)
      return pump(input, take)
    },
  }
}

/** In small steps: the first records decide, the rest of a large block need not be read for it. */
export function sniff(sniffer: ReturnType<typeof createSniffer>, block: Uint8Array): void {
  const step = 1 << 14
  for (let at = 0; at < block.length && !sniffer.decided(); at += step) sniffer.push(block.subarray(at, at + step))
}

const useFrom = `; name it with --from DIALECT (${dialectNames.join(', ')})`

export function unknownText({ records, unreadable, encoding }: Detection, advice = useFrom, where = ' in it'): string {
  if (encoding !== undefined) return `the input ${encodingText(encoding)}`
  if (records + unreadable === 0 && where !== inMostHeld) return `${emptyText}, so its dialect cannot be told${advice}`
  const seen = records === 0 ? `no JSON record was found${where}` : 'its records are of no known dialect'
  return `cannot tell the dialect of the input: ${seen}${advice}`
}

export const emptyText = 'the input is empty'

const unpackers = { gzip: 'gunzip -c', zstd: 'zstd -dc' } as const

export function encodingText(encoding: Encoding): string {
  if (encoding === 'gzip' || encoding === 'zstd')
    return `looks compressed (${encoding}); unpack it first, for example ${unpackers[encoding]} FILE | sluice …`
  return `looks like UTF-16; convert it to UTF-8 first, for example iconv -f ${encoding} -t UTF-8 FILE | sluice …`
}
