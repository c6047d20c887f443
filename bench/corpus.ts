/**
 * Makes the corpora and keeps them in `bench/corpora/`. A file's name says all that decides its bytes (kind, size, seed,
 * version of the generators) and it gets that name only when whole, so a file that is there can be used as it is.
 * `node bench/corpus.ts claude 200` makes one and prints where it is and what is in it.
 */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createAictrl } from './generate/aictrl.ts'
import { createAvenor } from './generate/avenor.ts'
import { createClaude } from './generate/claude.ts'
import type { Generator } from './generate/contract.ts'
import { createRandom, type Random } from './generate/random.ts'
import { createText, type Text } from './generate/text.ts'

/** Raise it with every change that changes bytes. */
const VERSION = 1
const FOLDER = new URL('corpora/', import.meta.url)
const FLUSH = 1 << 20

const GENERATORS = {
  claude: createClaude,
  avenor: createAvenor,
  aictrl: createAictrl,
} satisfies Record<string, (random: Random, text: Text) => Generator>

export type Kind = keyof typeof GENERATORS

export interface Corpus {
  kind: Kind
  /** Millions of bytes, at least; the last session is always whole. */
  megabytes: number
  seed?: number
}

/** The path of a corpus, which is made first if it is not there. */
export function corpusPath({ kind, megabytes, seed = 1 }: Corpus): string {
  const name = `${kind}-${megabytes}m-s${seed}`
  const target = new URL(`${name}.v${VERSION}.ndjson`, FOLDER)
  if (existsSync(target) && statSync(target).size >= megabytes * 1e6) return fileURLToPath(target)
  mkdirSync(FOLDER, { recursive: true })
  for (const old of readdirSync(FOLDER)) if (old.startsWith(`${name}.`)) rmSync(new URL(old, FOLDER))
  const part = new URL(`${name}.part`, FOLDER)
  generate(kind, seed, megabytes * 1e6, fileURLToPath(part))
  renameSync(part, target)
  return fileURLToPath(target)
}

function generate(kind: Kind, seed: number, size: number, path: string): void {
  const random = createRandom(seed * 7919 + kind.length)
  const generator = GENERATORS[kind](random, createText(random))
  const file = openSync(path, 'w')
  let bytes = 0
  let pending = ''
  const emit = (record: object): void => {
    pending += `${JSON.stringify(record)}\n`
    if (pending.length < FLUSH) return
    bytes += writeAll(file, pending)
    pending = ''
  }
  while (bytes + pending.length < size) generator.session(emit)
  writeAll(file, pending)
  closeSync(file)
}

/** A write to a file may be short only when the disk is full: then the next one throws. */
function writeAll(file: number, text: string): number {
  const buffer = Buffer.from(text)
  for (let done = 0; done < buffer.length;) done += writeSync(file, buffer, done)
  return buffer.length
}

if (import.meta.main) {
  const [kind = '', megabytes = '', seed = '1'] = process.argv.slice(2)
  if (!Object.hasOwn(GENERATORS, kind) || !(Number(megabytes) > 0)) {
    console.error(`usage: node bench/corpus.ts ${Object.keys(GENERATORS).join('|')} MEGABYTES [SEED]`)
    process.exit(2)
  }
  const began = performance.now()
  const path = corpusPath({ kind: kind as Kind, megabytes: Number(megabytes), seed: Number(seed) })
  console.log(`${path} ${statSync(path).size} bytes, ${Math.round(performance.now() - began)} ms`)
}
