// sluice digest: one pass over a recording. What it comes to, as a page or as JSON; or every record with its class.
import { nearest } from '../base/nearest.ts'
import { createDigest, type Digest } from '../analyze/digest.ts'
import type { Rec } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import type { Event, EventOf } from '../model/event.ts'
import { createPricer } from '../prices/price.ts'
import type { Output } from '../stream/convert.ts'
import { createReader } from '../stream/read.ts'
import { claimers, open } from './dialects.ts'
import { exitCodes, say, usageError } from './exit.ts'
import { blocks, oneFile, screen, stdout } from './io.ts'
import { type CommandSpec, dialectOption, listOption, parseOptions, sizeOption } from './options.ts'
import { redactionOf, redactOption } from './redaction.ts'
import { formatOption } from './report-format.ts'
import { rulesIn } from './rules.ts'
import { loadPrices } from './usage-prices.ts'
import { createJson } from './watch-json.ts'
import { createCleaner } from './watch-redact.ts'
import type { Seen } from './watch-view.ts'

const formats = ['pretty', 'json', 'markdown', 'junit', 'github'] as const

export const spec: CommandSpec = {
  usage: 'sluice digest [FILE|-] [options]',
  about: `Summarizes a recording: agent, prompt, turns, tools, files, commands, permissions, findings, errors, silence and loops, tokens, cost, and
how it ended. Reads any dialect; reports several sessions in one file separately.`,
  options: {
    format: {
      type: 'string',
      value: 'FORMAT',
      choices: formats,
      help: 'pretty (default), json, markdown (CI job summary), junit (test report), github (annotations)',
    },
    json: { type: 'boolean', help: 'the digest as one JSON object: the same as --format json' },
    classify: { type: 'boolean', help: 'write every record unchanged instead, with its class as the last key, "classify"' },
    rules: { type: 'string', value: 'FILE', help: 'your own rules for classes (YAML), applied before the built-in rules' },
    'fail-on': {
      type: 'string',
      many: true,
      value: 'LIST',
      choices: ['finding', 'error', 'denied'],
      help: 'exit with 1 if the recording has any of: finding, error, denied (comma-separated)',
    },
    redact: redactOption,
    from: { type: 'string', value: 'DIALECT', help: 'the dialect of the input (default: auto, detected from the first records)' },
    dialect: { type: 'string', value: 'DIALECT', help: 'the same as --from' },
    'max-line': {
      type: 'string',
      value: 'SIZE',
      help: 'maximum size of a record (default 128MiB); longer records are reported and skipped',
    },
  },
  examples: [
    ['sluice digest session.ndjson', 'a summary of the session'],
    ["sluice digest session.ndjson --json | jq '.sessions[0].ended'", 'for programs'],
    ['sluice digest session.ndjson --fail-on error,denied', 'for CI: the summary, and exit code 1 if something went wrong'],
    ['sluice digest session.ndjson --format markdown >> "$GITHUB_STEP_SUMMARY"', 'the summary of a job'],
    ['sluice digest session.ndjson --format junit > sluice.xml', 'a test report for a CI job'],
    ['sluice digest run.log --classify --rules rules.yaml > tagged.log', 'every event with its class, including your own events'],
  ],
  exits: [
    '0  read to the end (unreadable lines were reported)',
    '1  --fail-on found something, or writing failed',
    '2  wrong usage, a file that cannot be opened, a mistake in the rules, or input in no known dialect',
  ],
}

const countOf = { finding: 'findings', error: 'errors', denied: 'denied' } as const satisfies Record<string, keyof Digest['counts']>
type Trouble = keyof typeof countOf

type Format = (typeof formats)[number]

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const failOn = [...new Set(listOption(values, 'fail-on').flatMap(troubleIn))]
  const format = formatOption(values, formats)
  if ((values['json'] === true || values['format'] !== undefined) && values['classify'] === true)
    throw usageError(
      `--${values['json'] === true ? 'json' : 'format'} is for the digest; --classify writes every record with its class, as JSON`,
    )
  const rules = values['rules'] === undefined ? undefined : await rulesIn(values['rules'] as string)
  const maxLine = sizeOption(values, 'max-line')
  const file = oneFile(files)
  const input = await open(blocks(file), dialectOption(values))
  const price = createPricer(await loadPrices())
  const fold = createDigest({ rules, nameOf: input.dialect.tag, price })
  const tagged = values['classify'] === true ? createTagged() : undefined
  const redaction = await redactionOf(values)
  const redactor = redaction?.create()
  const cleaner = redactor === undefined ? undefined : createCleaner(redactor, true)
  const isSummary = tagged === undefined && rules === undefined && redaction === undefined // of what tools gave back it tells nothing
  const complain = ({ line, byte, text, code }: EventOf<'issue'>): void =>
    say(`sluice: line ${line}, byte ${byte}: ${redactor?.text(text).text ?? text} (${code})`)
  const tag = (seen: Seen): void => {
    if (!tagged!.show(seen)) for (const event of seen.events) if (event.kind === 'issue') complain(event)
  }
  /** What is told now may be of a former record. */
  const without = (event: Event, record: Rec | undefined): void =>
    redactor!.event(event).forEach((told) => fold.push(told, told.seq === event.seq ? record : undefined))
  const reader = createReader(
    input.dialect,
    (events, record, span) => {
      if (tagged !== undefined) {
        const classes = events.map((event) => fold.push(event, record).class)
        const seen = { events, record, span, classes }
        if (cleaner === undefined) tag(seen)
        else cleaner.push(seen).forEach(tag)
      } else if (redactor === undefined) for (const event of events) fold.push(event, record)
      else for (const event of events) without(event, record)
    },
    { maxLine, others: claimers, raw: 'none', skim: isSummary },
  )
  await input.read((block) => {
    reader.push(block)
    tagged?.flush()
  })
  reader.end()
  if (tagged === undefined) redactor?.end().forEach((event) => fold.push(event))
  else cleaner?.end().forEach(tag)
  tagged?.flush()
  const digest = fold.report()
  if (tagged === undefined) await show(digest, format, new Set(failOn), file === '-' ? undefined : file)
  redaction?.tell()
  const found = failOn.filter((trouble) => digest.counts[countOf[trouble]] > 0)
  if (found.length > 0) say(`sluice: failed on ${found.map((trouble) => `${trouble} (${digest.counts[countOf[trouble]]})`).join(', ')}`)
  return found.length > 0 ? exitCodes.failed : exitCodes.ok
}

function troubleIn(list: string): Trouble[] {
  const known = Object.keys(countOf) as Trouble[]
  const words = list.split(',').map((word) => word.trim())
  const named = words.filter((word) => word !== '')
  // Nothing to fail on would let everything pass, as where a variable of a script is empty.
  return (named.length === 0 ? words : named).map((word) => {
    const trouble = known.find((one) => one === word)
    if (trouble !== undefined) return trouble
    const near = nearest(word, known)
    throw usageError(
      `--fail-on ${quoted(word)} is not known${near === undefined ? `; use ${known.join(', ')}` : `; did you mean ${near}?`}`,
    )
  })
}

async function show(digest: Digest, format: Format, failOn: ReadonlySet<Trouble>, file: string | undefined): Promise<void> {
  if (format === 'json') return printJson(digest)
  const out = screen()
  for (const line of await linesOf(digest, format, failOn, file)) out.line(line)
  out.flush()
}

/** Each view is loaded alone. All of them make harmless what they show. */
async function linesOf(
  digest: Digest,
  format: Exclude<Format, 'json'>,
  failOn: ReadonlySet<Trouble>,
  file: string | undefined,
): Promise<Iterable<string>> {
  switch (format) {
    case 'markdown':
      return (await import('../views/digest-markdown.ts')).digestMarkdown(digest)
    case 'github':
      return (await import('../views/digest-github.ts')).digestAnnotations(digest, failOn, file)
    case 'junit': {
      const [{ junitLines }, { digestSuite }] = await Promise.all([import('../views/junit.ts'), import('../views/digest-junit.ts')])
      return junitLines('sluice digest', [digestSuite(digest, failOn, file)])
    }
    case 'pretty': {
      const [{ digestLines }, { screenOf }] = await Promise.all([import('../views/digest.ts'), import('./terminal.ts')])
      return digestLines(digest, screenOf())
    }
  }
}

/** One session after the other: as a single text all of them would take several times their size. */
function printJson(digest: Digest): void {
  const out = stdout()
  let before = '{'
  for (const [key, value] of Object.entries(digest)) {
    out.text(`${before}"${key}":`)
    if (key === 'sessions') printList(out, digest.sessions)
    else out.text(JSON.stringify(value))
    before = ','
  }
  out.text('}\n')
  out.flush()
}

function printList(out: Output, items: readonly unknown[]): void {
  out.text('[')
  for (const [index, item] of items.entries()) out.text(`${index === 0 ? '' : ','}${JSON.stringify(item)}`)
  out.text(']')
}

/** Records with their class, many at a time. */
function createTagged() {
  const out = stdout()
  let kept: Uint8Array[] = []
  const bytes = (data: Uint8Array): void => void kept.push(Buffer.from(data), newline)
  const line = (text: string): void => bytes(Buffer.from(text))
  const view = createJson({ dialect: '', put: { bytes, line, made: line }, wants: () => true, classify: 'all' })
  return {
    show: view.show,
    flush(): void {
      if (kept.length > 0) out.bytes(Buffer.concat(kept))
      out.flush() // what goes to a terminal is held back
      kept = []
    },
  }
}
const newline = Uint8Array.of(0x0a)
