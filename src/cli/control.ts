// sluice control: look at a run while it goes on, answer its questions, and tell it what to do next.
import { readFileSync } from 'node:fs'
import { isRecord, parseJson, type Rec, stringifyJson } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { type Client, connectTo, type Found, findRuns, findSocket, readToken } from '../control/client.ts'
import { historyLimit, shutdownModes } from '../control/methods.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import { writableNames } from './dialects.ts'
import { CommandError, exitCodes, usageError } from './exit.ts'
import { isTerminal, print } from './io.ts'
import { reached } from './control-reach.ts'
import { onlyQuestion, questionsOf, runsAsJson, runsForPeople, wholeId } from './control-runs.ts'
import { tail } from './control-tail.ts'
import { type CommandSpec, numberOption, type Parsed, parseOptions, textOption } from './options.ts'
import { writable } from './run-outputs.ts'
import { screenOf } from './terminal.ts'

export const spec: CommandSpec = {
  usage: 'sluice control [--run ID|--control-socket PATH] [COMMAND] [options]',
  about: `Controls a run over its control socket. Without a COMMAND it lists the runs on this machine and their open questions.
An ID may be shortened to its beginning or its end. Without --run the command goes to the only active run.
COMMAND is one of:
  status              print its state as JSON
  tail                print its events live, one line each
  history             print its last events, or those after an event number
  prompt TEXT|-       give the agent another prompt
  interrupt TEXT|-    stop the current work, and give the agent another prompt
  answer [ID] OPTION  answer a permission question: allow, deny, or one of its options; without ID the only open question
  choose ID ANSWER…   answer a multiple-choice question: a number or your own text for each part
  emit JSON|-         add your own event to the stream
  cancel              end the run, as Ctrl-C does
  shutdown [MODE]     graceful: end the run after its turn and the waiting prompts; immediate: end it now`,
  options: {
    run: { type: 'string', value: 'ID', help: 'the id of the run' },
    'control-socket': { type: 'string', value: 'PATH', help: 'the path of its socket, if the run was started with one' },
    after: { type: 'string', value: 'N', help: 'tail, history: begin after event N; tail --after 0 shows all events' },
    limit: { type: 'string', value: 'N', help: 'history: at most N events (default 64, maximum 256)' },
    format: {
      type: 'string',
      value: 'DIALECT',
      choices: writableNames,
      help: 'tail, history: sluice (default), avenor, aictrl, appctl, claude, acp',
    },
    answers: { type: 'boolean', help: 'tail: questions wait for an answer while tail runs' },
    text: { type: 'string', value: 'TEXT', help: 'answer: a message for the model, with the answer' },
    turn: { type: 'boolean', help: 'cancel: end only the turn, not the session' },
    json: { type: 'boolean', help: 'without COMMAND: one line of JSON for each run' },
  },
  words: ['status', 'tail', 'history', 'prompt', 'interrupt', 'answer', 'choose', 'emit', 'cancel', 'shutdown'],
  examples: [
    ['sluice control', 'list the runs and their open questions'],
    ['sluice control answer allow', 'answer the only question that is open'],
    ['sluice control status', 'the state of the only run'],
    ['sluice control tail --after 0 | sluice watch -', 'all events so far, and all that follow'],
    ['sluice control answer q1 allow_once', 'allow the call'],
    ["sluice control --run run_1 interrupt 'leave the tests alone'", 'stop the current work and give a new instruction'],
    ['sluice control shutdown', 'end the run after its turn and the waiting prompts'],
  ],
  exits: ['0  done', '1  the run refused or has ended, or the output cannot be written', '2  wrong usage, or there is no such run'],
}

/** What the options are for that are not for all. */
const uses: Readonly<Record<string, readonly string[]>> = {
  after: ['tail', 'history'],
  limit: ['history'],
  format: ['tail', 'history'],
  answers: ['tail'],
  text: ['answer'],
  turn: ['cancel'],
}

type Words = readonly string[]
type Values = Parsed['values']
/** Undefined: nothing is to be printed. */
type Work = (client: Client, token: () => string) => Promise<unknown>
/** What is wrong with the words is told before a run is looked for. */
type Action = (words: Words, values: Values) => Work | Promise<Work>

const actions: Record<string, Action> = {
  status: (words) => {
    noMore(words)
    return async (client) => `${JSON.stringify(await client.call('status'), undefined, 2)}\n`
  },
  prompt: (words) => {
    const text = given(words, String)
    return async (client, token) => {
      await client.call('prompt', { text: text(), token: token() })
      return 'prompt queued\n'
    }
  },
  interrupt: (words) => {
    const text = given(words, String)
    return async (client, token) => {
      await client.call('interrupt_and_prompt', { text: text(), token: token() })
      return 'interrupted, prompt queued\n'
    }
  },
  answer: ([word, option, ...more], values) => {
    if (word === undefined || option === undefined || more.length > 0)
      throw usageError('give an OPTION, or the ID of a question and an OPTION')
    const text = textOption(values, 'text')
    return async (client, token) => {
      const status = await statusOf(client)
      const id = wholeId(word, status)
      const isOffered = questionsOf(status).some((asked) => asked.id === id && asked.options.includes(option))
      const said = option === 'deny' && !isOffered ? 'reject' : option
      await client.call('answer_permission', { id, option: said, token: token(), ...(text !== undefined && { text }) })
      return 'answered\n'
    }
  },
  choose: ([word, ...answers]) => {
    if (word === undefined || answers.length === 0) throw usageError('give the ID of the question and an ANSWER to each of its parts')
    return async (client, token) => {
      const id = wholeId(word, await statusOf(client))
      await client.call('answer_question', { id, answers, token: token() })
      return 'answered\n'
    }
  },
  emit: (words) => {
    const event = given(words, eventIn)
    return async (client, token) => {
      await client.call('emit', { event: event(), token: token() })
    }
  },
  cancel: (words, values) => {
    noMore(words)
    return async (client, token) => {
      await client.call('cancel', { target: values['turn'] === true ? 'turn' : 'session', token: token() })
      return 'cancelled\n'
    }
  },
  shutdown: ([mode = 'graceful', ...more]) => {
    noMore(more)
    checkMode(mode)
    return async (client, token) => {
      await client.call('shutdown', { mode, token: token() })
      return 'shutting down\n'
    }
  },
  history: async (words, values) => {
    noMore(words)
    const asked = params(values)
    const dialect = await dialectIn(values)
    return async (client) => {
      const { events } = (await client.call('history', asked)) as { events: Rec[] } // as the method says
      await tail(
        events.map((event) => ({ method: 'event', params: event })),
        dialect,
      )
    }
  },
  tail: async (words, values) => {
    noMore(words)
    const { after } = params(values)
    const dialect = await dialectIn(values)
    return async (client, token) => {
      await client.call('subscribe', { ...(after !== undefined && { after }), ...(values['answers'] === true && { token: token() }) })
      const { isWhole } = await tail(client.notices(), dialect)
      if (!isWhole) throw new CommandError('the run went away before its end was told')
    }
  },
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const [name = '', ...words] = files
  if (name === '' && files.length === 0) return list(values)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) throw unknownAction(name)
  if (values['json'] === true)
    throw usageError('--json is for sluice control without a command; what commands print is JSON already (see --help)')
  for (const [option, names] of Object.entries(uses))
    if (values[option] !== undefined && !names.includes(name))
      throw usageError(`--${option} is for ${names.join(' and ')}, not for ${name} (see --help)`)
  const isOnly = name === 'answer' && words.length === 1
  const only = isOnly ? onlyQuestion(await reached(runsIn(values), exitCodes.usage)) : undefined
  const work = await action(only === undefined ? words : [only.id, ...words], values)
  const path = only?.path ?? (await reached(socketIn(values), exitCodes.usage))
  using client = await reached(connectTo(path), exitCodes.usage)
  const said = await reached(work(client, () => readToken(path)))
  if (typeof said === 'string') print(said)
  return exitCodes.ok
}

async function list(values: Values): Promise<number> {
  const others = Object.keys(uses).find((option) => values[option] !== undefined)
  if (others !== undefined) throw usageError(`--${others} is for ${uses[others]!.join(' and ')} (see --help)`)
  const runs = await reached(runsIn(values), exitCodes.usage)
  if (values['json'] === true) print(runsAsJson(runs))
  else print(runsForPeople(runs, Date.now(), isTerminal(1) ? screenOf().width : Infinity))
  return exitCodes.ok
}

/** All that can be reached, or the one that the options name. */
async function runsIn(values: Values): Promise<Found[]> {
  if (values['run'] === undefined && values['control-socket'] === undefined) return findRuns(process.env)
  const path = await socketIn(values)
  using client = await connectTo(path)
  const status = await statusOf(client)
  return [{ run: String(status['run']), path, cwd: String(status['cwd']), status }]
}

async function statusOf(client: Client): Promise<Rec> {
  const status = await client.call('status')
  return isRecord(status) ? status : {}
}

function unknownAction(name: string): CommandError {
  const names = Object.keys(actions)
  const near = name === '' ? undefined : nearest(name, names)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return usageError(`${name === '' ? 'give a command' : `${quoted(name)} is not a command of sluice control`}: ${names.join(', ')}${hint}`)
}

const dialectIn = (values: Values): Promise<WritableDialect> => writable(textOption(values, 'format') ?? 'sluice', '--format')

function socketIn(values: Values): Promise<string> {
  const run = textOption(values, 'run')
  const path = textOption(values, 'control-socket')
  if (run !== undefined && path !== undefined) throw usageError('--run and --control-socket name the same thing; give one')
  return path === undefined ? findSocket(process.env, run) : Promise.resolve(path)
}

const params = (values: Values): Rec => {
  const after = numberOption(values, 'after', { whole: true })
  const limit = numberOption(values, 'limit', { whole: true, least: 1 })
  if (limit !== undefined && limit > historyLimit.most)
    throw usageError(`--limit ${limit} is more than ${historyLimit.most}; go on with --after N, the number of the last event you have`)
  return { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) }
}

function checkMode(mode: string): void {
  if ((shutdownModes as readonly string[]).includes(mode)) return
  const near = nearest(mode, shutdownModes)
  throw usageError(
    `shutdown ${quoted(mode)} is neither ${shutdownModes.join(' nor ')}${near === undefined ? '' : `; did you mean ${near}?`}`,
  )
}

/** The words, or stdin, which is not read before there is somebody to give it to. */
function given<T>(words: Words, read: (text: string) => T): () => T {
  if (words.length === 0 && isTerminal(0)) throw usageError('give a text, or - to read it from stdin')
  const valueOf = (text: string): T => {
    if (text.trim() === '') throw usageError('the text is empty')
    return read(text)
  }
  if (words.length === 0 || (words.length === 1 && words[0] === '-')) return () => valueOf(readFileSync(0, 'utf8'))
  const value = valueOf(words.join(' '))
  return () => value
}

function noMore(words: Words): void {
  if (words[0] !== undefined) throw usageError(`${quoted(words[0])} is too much; a run is named by --run ID`)
}

function eventIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw usageError(`${quoted(text)} is not JSON; an event is an object, such as ${stringifyJson({ event: 'my.event' })}`)
  }
}
