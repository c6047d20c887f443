/**
 * Makes folders of Claude transcripts in `bench/corpora/`, laid out as in ~/.claude: `projects/<project>/<session>.jsonl`. As with the
 * other corpora, the name says all that decides the bytes. `node bench/transcripts.ts 200` makes one and prints where it is.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRandom } from './generate/random.ts'
import { createText } from './generate/text.ts'
import { createTranscripts } from './generate/transcript.ts'

/** Raise it with every change that changes bytes. */
const VERSION = 1
const PROJECTS = 40

/** The path of a folder of transcripts, which is made first if it is not there. */
export function transcriptsPath(megabytes: number, seed = 1): string {
  const target = join(import.meta.dirname, 'corpora', `transcripts-${megabytes}m-s${seed}.v${VERSION}`)
  if (existsSync(target)) return target
  const part = `${target}.part`
  rmSync(part, { recursive: true, force: true })
  const random = createRandom(seed * 7919 + 11)
  const session = createTranscripts(random, createText(random))
  for (let bytes = 0; bytes < megabytes * 1e6;) {
    const name = `service-${random.int(1, PROJECTS)}`
    for (const { path, lines } of session(`/home/dev/work/${name}`)) {
      const file = join(part, 'projects', `-home-dev-work-${name}`, path)
      const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      bytes += Buffer.byteLength(text)
    }
  }
  renameSync(part, target)
  return target
}

if (import.meta.main) console.log(transcriptsPath(Number(process.argv[2] ?? 200)))
