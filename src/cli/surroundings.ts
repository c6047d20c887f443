// This process, as a run sees it.
import { createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import { quoted } from '../base/text.ts'
import { sessionsFolder } from '../log/sessions.ts'
import type { Surroundings } from '../run/surroundings.ts'
import { now } from './clock.ts'
import { dialectOf } from './dialect-of.ts'
import { say } from './exit.ts'
import { isGzipAt, unzipped } from './gzip.ts'
import { loadPrices } from './usage-prices.ts'
import { version } from './version.ts'

export const surroundings = async (): Promise<Surroundings> => ({
  env: process.env,
  cwd: process.cwd(),
  dataFolder: dirname(sessionsFolder(process.env)),
  version,
  prices: await loadPrices(),
  now,
  report: (line) => say(`sluice: ${line}`),
  openRecording: async (file) => ({
    dialect: await dialectOf(file, '; name a file whose dialect sluice detect can tell'),
    read() {
      const stream = createReadStream(file)
      return isGzipAt(file) ? unzipped(stream, quoted(file, 500)) : stream
    },
  }),
})
