// sluice detect: which dialect, which version, how sure.
import { printable } from '../base/text.ts'
import { createSniffer, type Detection } from '../stream/detect.ts'
import { claimers, emptyText, encodingText, inMostHeld, mostHeld } from './dialects.ts'
import { exitCodes, say } from './exit.ts'
import { blocks, oneFile, print, pump } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'

/** The start of a stream tells; more is read only until a record settles it, as all commands do. */
const enough = 1 << 20

export const spec: CommandSpec = {
  usage: 'sluice detect [FILE|-] [--json]',
  about: 'Finds out which dialect a stream is in. Reads the first MiB, or more until a record settles it.',
  options: {
    json: { type: 'boolean', help: 'one JSON object: dialect, version, confidence, records, unreadable, mixed' },
  },
  examples: [
    ['sluice detect run.ndjson', 'prints, for example: claude 2.1.325, confidence 1.00, 13 records'],
    ['sluice detect --json < run.ndjson', 'for programs'],
  ],
  exits: ['0  one dialect', '1  unknown, or several dialects mixed, or writing failed', '2  wrong usage, or a file that cannot be opened'],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const sniffer = createSniffer(claimers)
  let size = 0
  const how = await pump(blocks(oneFile(parsed.files)), (block) => {
    sniffer.push(block)
    size += block.length
    return size > mostHeld || (size >= enough && sniffer.decided())
  })
  if (how === 'ended') sniffer.end()
  const detection = sniffer.detection()
  print(
    parsed.values['json'] === true
      ? `${JSON.stringify({ ...detection, dialect: detection.dialect ?? null })}\n`
      : `${describe(detection)}\n`,
  )
  if (detection.dialect === undefined) say(`sluice: ${whyUnknown(detection, how === 'ended' ? '' : inMostHeld)}`)
  return detection.dialect === undefined || detection.mixed !== undefined ? exitCodes.failed : exitCodes.ok
}

function whyUnknown({ records, unreadable, encoding }: Detection, where: string): string {
  if (records === 0 && encoding === undefined && where !== '') return `no JSON record was found${where}`
  if (records + unreadable === 0) return emptyText
  return `the input ${encoding === undefined ? 'is of no known dialect' : encodingText(encoding)}`
}

function describe({ dialect, version, confidence, records, unreadable, mixed }: Detection): string {
  const counts = `${records} record${records === 1 ? '' : 's'}${unreadable === 0 ? '' : `, ${unreadable} unreadable`}`
  if (dialect === undefined) return `unknown, ${counts}`
  if (mixed !== undefined) return `mixed: ${mixed.map((part) => `${part.dialect} ${part.records}`).join(', ')}, ${counts}`
  return `${dialect}${version === undefined ? '' : ` ${printable(version)}`}, confidence ${confidence.toFixed(2)}, ${counts}`
}
