// The second thread of `sluice validate` with several files: what it finds is told line by line to the first.
import { parentPort, workerData } from 'node:worker_threads'
import { type Job, takeFiles } from './validate.ts'

await takeFiles(workerData as Job, (told) => parentPort?.postMessage(told))
