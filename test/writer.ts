// A program that writes files as it is told, one step at a time: a line of JSON in, its number out when it is done. Files that it
// has opened stay open, as those of an agent do, whatever becomes of their names.
import { closeSync, ftruncateSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Step } from './writing.ts'

const files = new Map<string, number>()

function take(step: Step): void {
  switch (step.do) {
    case 'open':
      return void files.set(step.as, openSync(step.file, 'a'))
    case 'write':
      return void writeSync(files.get(step.as)!, Buffer.from(step.base64, 'base64'))
    case 'truncate':
      return ftruncateSync(files.get(step.as)!)
    case 'close':
      closeSync(files.get(step.as)!)
      return void files.delete(step.as)
    case 'rename':
      return renameSync(step.file, step.to)
    case 'rewrite':
      return writeFileSync(step.file, step.text)
    case 'remove':
      return rmSync(step.file)
  }
}

let done = 0
createInterface(process.stdin).on('line', (line) => {
  take(JSON.parse(line) as Step)
  process.stdout.write(`${++done}\n`)
})
