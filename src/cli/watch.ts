// sluice watch: what happens in a stream, line by line as it happens, with what matters marked.
import { dialectNames, loadDialect } from './dialects.ts'
import { CommandError, exitCodes, say, signalCodes } from './exit.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { redactionOf, redactOption } from './redaction.ts'
import { choicesOf, classNames, formats, loadClassifiers, openCursor, splitClassify, viewOf } from './watch-options.ts'
import { createOut } from './watch-out.ts'
import { createSessionsSeen } from './watch-session.ts'
import { watchSource } from './watch-source.ts'

/** Ms that a reader of our output has after a signal, to take what is left. */
const patience = 1000

export const spec: CommandSpec = {
  usage: 'sluice watch [FILE…|-] [options]',
  about: `Shows what happens in a stream of any dialect, one line for each event, live. With --follow it waits for more events (also
for a file that does not exist yet) and ends with the session, or with the loop around it.`,
  options: {
    follow: { type: 'boolean', help: 'wait for more events, until the session or loop has ended' },
    classify: { type: 'boolean', help: 'tag MILESTONE and FINDING; --classify=all tags every line' },
    'classify-all': { type: 'boolean', hidden: true, help: '' },
    rules: { type: 'string', value: 'FILE', help: 'also classify by these rules (YAML)' },
    format: {
      type: 'string',
      value: 'FORMAT',
      choices: formats,
      help: 'pretty (default on a terminal), plain, json (the records themselves), sluice (canonical events)',
    },
    only: {
      type: 'string',
      many: true,
      value: 'CLASSES',
      choices: classNames,
      help: 'show only these classes: milestone, finding, activity (comma-separated)',
    },
    session: { type: 'string', value: 'ID', help: 'show only this session' },
    accumulate: { type: 'boolean', help: 'join the chunks of a message into one line (plain only)' },
    times: { type: 'boolean', help: 'begin each line with the time, and shorten ids (plain only; default on a terminal)' },
    'since-cursor': { type: 'string', value: 'FILE', help: 'continue where the last watch with this file ended (one log only)' },
    redact: redactOption,
    from: { type: 'string', value: 'DIALECT', help: `the dialect (default: auto): ${dialectNames.join(', ')}` },
    dialect: { type: 'string', value: 'DIALECT', help: 'the same as --from' },
    'max-line': {
      type: 'string',
      value: 'SIZE',
      help: 'maximum size of a record (default 128MiB); longer records are reported and skipped',
    },
  },
  examples: [
    ['sluice watch --follow events.ndjson', 'what is it doing?'],
    ['sluice watch --follow --only milestone,finding --format plain events.ndjson', 'only important events'],
    ['sluice watch --since-cursor events.cursor events.ndjson', 'what is new since the last call?'],
    ['sluice watch --classify --format json events.ndjson | jq \'select(.classify == "FINDING")\'', 'for programs'],
  ],
  exits: [
    '0    read to the end, or to the end of the session (unreadable lines were reported)',
    '1    reading, writing, or writing the cursor, failed',
    '2    wrong usage, a file that cannot be opened, a cursor that does not fit, or input in no known dialect',
    '130  ended by SIGINT (the cursor is written)',
    '143  ended by SIGTERM, SIGHUP or SIGQUIT (likewise)',
  ],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv.map(splitClassify))
  if (parsed === undefined) return exitCodes.ok
  const choices = choicesOf(parsed)
  const cursor = openCursor(choices)
  if (choices.dialect !== undefined) await loadDialect(choices.dialect, '--from') // better known before anything is waited for
  const createClassifier = await loadClassifiers(choices)
  const redaction = await redactionOf(parsed.values)
  const several = choices.files.length > 1
  const sessions = createSessionsSeen(choices.session)
  const out = createOut()
  const stop = new AbortController()
  using signals = listen(stop)
  const watchOne = (file: string): Promise<void> =>
    watchSource({
      ...choices,
      file,
      name: several ? `${file}: ` : '',
      cursor,
      out,
      signal: stop.signal,
      sessions,
      createView: (options) => viewOf(choices, sessions, options),
      createClassifier,
      redactor: redaction?.create(),
    })
  let failed: number = exitCodes.ok
  const sources = choices.files.map(async (file) => {
    try {
      await watchOne(file)
    } catch (error) {
      if (!several || !(error instanceof CommandError) || out.isBroken()) throw error
      say(`sluice: ${error.message}`) // the others go on
      failed = Math.max(failed, error.exitCode)
    }
  })
  try {
    await Promise.all(sources)
    sessions.tell()
    await cursor?.settle()
  } finally {
    stop.abort() // where nothing can be shown any more
    await Promise.allSettled(sources)
    redaction?.tell()
  }
  return signals.exitCode() || failed
}

/** The first signal ends the watch, so that the cursor is written. A second one, or a reader that takes nothing, ends it at once. */
function listen(stop: AbortController) {
  let code: number = exitCodes.ok
  const end = (signal: keyof typeof signalCodes): void => {
    if (code !== exitCodes.ok) process.exit(code)
    code = signalCodes[signal]
    stop.abort()
    setTimeout(() => process.exit(code), patience).unref()
  }
  const names = Object.keys(signalCodes) as (keyof typeof signalCodes)[]
  for (const name of names) process.on(name, end)
  return {
    exitCode: (): number => code,
    [Symbol.dispose](): void {
      for (const name of names) process.off(name, end)
    },
  }
}
