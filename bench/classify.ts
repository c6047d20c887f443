// `node bench/classify.ts`: what the built-in classes cost, on top of parsing. A file is read to events, with and without a classifier that
// is asked of each; what that takes longer is held against bare JSON.parse of the same file, in turns in one process.
import { spawnSync } from 'node:child_process'
import { readSync, openSync, closeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createClassifier } from '../src/analyze/classify.ts'
import type { Rec } from '../src/base/json.ts'
import { roomForChunk } from '../src/base/moulds.ts'
import { dialects } from '../src/index.ts'
import type { Event } from '../src/model/event.ts'
import { createReader } from '../src/stream/read.ts'
import { parseFile } from './baseline.mjs'
import { QUICK, SIZES } from './cases.ts'
import { flags, node } from './child.ts'
import { corpusPath, type Kind } from './corpus.ts'
import { median } from './report.ts'

const MOST = 0.1
const WARM_UP = 3
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
// As a user runs it.
if (process.execArgv.length === 0) process.exit(spawnSync(node, [...flags(), ...process.argv.slice(1)], { stdio: 'inherit' }).status ?? 1)
const sizes = values.quick ? QUICK : SIZES
const rounds = values.quick ? 3 : 9

/** Without a classifier each event is looked at too: somebody always does. */
let seen = 0

function readFile(kind: Kind, path: string, classify: boolean): void {
  const dialect = dialects[kind]
  const classifier = createClassifier({ nameOf: dialect.tag })
  const look = (event: Event, record?: Rec): void => {
    if (!classify) seen += event.seq
    else if (event.kind === 'text.delta' || event.kind === 'thought.delta') classifier.piece(event, record)
    else classifier.push(event, record)
  }
  const onEvents = (events: Event[], record: Rec | undefined): void => {
    for (const event of events) look(event, record)
  }
  const reader = createReader(dialect, onEvents, { raw: 'none', plainNumbers: true })
  const own = Buffer.allocUnsafeSlow(1 << 16)
  const fd = openSync(path, 'r')
  for (;;) {
    const block = roomForChunk() ?? own
    const size = readSync(fd, block)
    if (size === 0) break
    reader.push(block.subarray(0, size))
  }
  closeSync(fd)
  reader.end()
}

const timed = (work: () => void): number => {
  const began = performance.now()
  work()
  return performance.now() - began
}

let isGood = true
for (const kind of ['claude', 'avenor', 'aictrl'] as const) {
  const path = corpusPath({ kind, megabytes: sizes[kind] })
  const costs: number[] = []
  for (let round = 0; round < WARM_UP + rounds; round++) {
    const parsed = timed(() => parseFile(path))
    const first = round % 2 === 0
    const one = timed(() => readFile(kind, path, first))
    const other = timed(() => readFile(kind, path, !first))
    if (round >= WARM_UP) costs.push((first ? one - other : other - one) / parsed)
  }
  const cost = median(costs)
  isGood &&= cost < MOST
  if (seen === 0) throw new Error('there was no event')
  console.log(
    `classify ${kind.padEnd(7)} ${(cost * 100).toFixed(1)} % on top of parsing (less than ${MOST * 100} %)  ${cost < MOST ? 'ok' : 'MISSED'}`,
  )
}
process.exitCode = isGood ? 0 : 1
