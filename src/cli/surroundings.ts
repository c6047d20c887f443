// This process, as a run sees it.
import { dirname } from 'node:path'
import { sessionsFolder } from '../log/sessions.ts'
import type { Surroundings } from '../run/surroundings.ts'
import { now } from './clock.ts'
import { dialectOf } from './dialect-of.ts'
import { say } from './exit.ts'
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
  dialectOf: (file) => dialectOf(file, '; name a file whose dialect sluice detect can tell'),
})
