// The second process of `sluice validate` with several files: it is told its share on stdin, and tells what it finds on stdout.
import { readFileSync } from 'node:fs'
import { stdout } from './io.ts'
import { type Job, readShare, type Told } from './validate.ts'

const out = stdout()
const tell = (told: Told): void => {
  out.line(JSON.stringify(told))
  out.flush()
}

try {
  await readShare(JSON.parse(readFileSync(0, 'utf8')) as Job, tell)
} catch (error) {
  if ((error as Error).name !== 'ClosedPipe') throw error // nobody is there any more
}
process.exit() // at once, as every command that has read all
