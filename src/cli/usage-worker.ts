// The second thread of `sluice usage`.
import { parentPort, workerData } from 'node:worker_threads'
import { scan, type ScanJob, type Scanned } from './usage-read.ts'

const all: Scanned[] = []
scan(workerData as ScanJob, (one) => all.push(one))
parentPort?.postMessage(JSON.stringify(all)) // one text crosses faster than thousands of objects
