// The second thread of `sluice usage`. A few files are told at a time, for each telling takes a while; what was not told yet keeps that
// of all later files waiting in memory.
import { workerData } from 'node:worker_threads'
import { packed } from './usage-claude.ts'
import { scan, type ScanJob, type Told } from './usage-read.ts'

const job = workerData as ScanJob
const enough = 16
const enoughRows = 1000
const found: Told = []
let rowsFound = 0
const tell = (): void => {
  job.port?.postMessage(found.splice(0))
  rowsFound = 0
}

for (const [index, rows] of scan(job)) {
  found.push([index, rows && packed(rows)])
  rowsFound += rows?.length ?? 0
  if (found.length >= enough || rowsFound >= enoughRows) tell()
}
if (found.length > 0) tell()
tell() // nothing: this was all
job.port?.close()
