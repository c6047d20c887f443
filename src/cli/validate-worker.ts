// One of the two workers of `sluice validate` with several files: every second file, told line by line to the main thread.
import { parentPort, workerData } from 'node:worker_threads'
import { type Job, type Told, validateFile } from './validate.ts'

const job = workerData as Job
const tell = (told: Told): void => parentPort?.postMessage(told)

for (let index = job.index; index < job.files.length; index += job.step) {
  const result = await validateFile(job.files[index]!, job, (line) => tell({ index, line }))
  tell({ index, result })
}
