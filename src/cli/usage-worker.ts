// The second thread of `sluice usage`. A few files are told at a time.
import { workerData } from 'node:worker_threads'
import { packed } from './usage-claude.ts'
import { scan, type ScanJob, type Told } from './usage-read.ts'

const job = workerData as ScanJob
const enough = 16
const found: Told = []
const tell = (): void => job.port?.postMessage(found.splice(0))

for (const [index, rows] of scan(job)) if (found.push([index, rows && packed(rows)]) >= enough) tell()
if (found.length > 0) tell()
tell() // nothing: this was all
job.port?.close()
