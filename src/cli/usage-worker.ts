// The second thread of `sluice usage`. Rows cross as text, a few files at a time: that is faster than thousands of objects.
import { workerData } from 'node:worker_threads'
import { scan, type ScanJob, type Scanned } from './usage-read.ts'

const job = workerData as ScanJob
const enough = 16
const found: Scanned[] = []
const tell = (): void => job.port?.postMessage(JSON.stringify(found.splice(0)))

for (const one of scan(job)) if (found.push(one) >= enough) tell()
tell()
job.port?.close()
