// The commands of a chat: lines that begin with a slash are for sluice, all others for the model.
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { chooseProfile } from '../config/profiles.ts'
import { sessionsFolder } from '../log/sessions.ts'
import { styleFor } from '../views/style.ts'
import { costLines, permissionLines, sessionLines, sessionsHere, skillLines, toolLines } from './chat-lists.ts'
import { columns, definitions } from './columns.ts'
import type { ChatSession } from './chat-session.ts'
import type { RunRequest } from '../run/request.ts'

export type CommandContext = {
  session: ChatSession
  width: number
  colour: boolean
  print(lines: readonly string[]): void
  /** Goes on in another session, or in this one under other conditions. */
  reopen(change: Partial<RunRequest>): Promise<void>
}

type Command = {
  argument?: string
  about: string
  run(context: CommandContext, argument: string): void | 'leave' | Promise<void | 'leave'>
}

const commands: Readonly<Record<string, Command>> = {
  help: { about: 'this list', run: ({ print, width }) => print(helpLines(width)) },
  clear: { about: 'a new session; the old one is kept', run: ({ reopen }) => reopen({ session: { how: 'new' } }) },
  resume: { argument: '[ID]', about: 'go on with another session, or with the last one before this', run: resume },
  sessions: { about: 'the sessions of this folder', run: sessions },
  model: { argument: '[PROVIDER/MODEL]', about: 'the model, or another one', run: model },
  profile: { argument: '[NAME]', about: 'the profile of the agent, or another one', run: profile },
  tools: {
    about: 'what the agent can use, and what the rules say',
    run: async ({ session, width, print }) => print(await toolLines(session.prepared, width)),
  },
  skills: { about: 'the skills that were found', run: ({ session, width, print }) => print(skillLines(session.prepared, width)) },
  permissions: { about: 'the rules in force, and what you have allowed', run: permissions },
  'read-only': { argument: '[on|off]', about: 'only tools that change nothing', run: (context, word) => gate(context, 'readOnly', word) },
  'dry-run': { argument: '[on|off]', about: 'changes are told and not made', run: (context, word) => gate(context, 'dryRun', word) },
  cost: {
    about: 'tokens and money so far',
    run: ({ session, print }) => print(costLines(session.book, session.model())),
  },
  exit: { about: 'leave; so do /quit and Ctrl-D', run: () => 'leave' },
}

const aliases: Readonly<Record<string, string>> = { quit: 'exit' }

export const commandWords = [...Object.keys(commands), ...Object.keys(aliases)].map((name) => `/${name}`)

/** `/etc/hosts is wrong` is a sentence; `/help` is a command. */
export const isCommand = (text: string): boolean => /^\/[a-z-]*(\s|$)/i.test(text)

/** Throws what a command throws: its message is for people. */
export async function runCommand(text: string, context: CommandContext): Promise<void | 'leave'> {
  const [, word = '', argument = ''] = /^\/(\S*)\s*([^]*)$/.exec(text.trim()) ?? []
  const name = aliases[word.toLowerCase()] ?? word.toLowerCase()
  const command = Object.hasOwn(commands, name) ? commands[name]! : undefined
  if (command === undefined) return context.print([unknown(word)])
  return command.run(context, argument.trim())
}

function unknown(word: string): string {
  const near = nearest(word.toLowerCase(), [...Object.keys(commands), ...Object.keys(aliases)])
  return `there is no command ${quoted(`/${word}`)}; ${near === undefined ? '/help lists them' : `did you mean /${near}?`}`
}

function helpLines(width: number): string[] {
  const rows = Object.entries(commands).map(([name, { argument = '', about }]): [string, string] => [
    `/${name} ${argument}`.trimEnd(),
    about,
  ])
  const keys: [string, string][] = [
    ['\\ Enter', 'a line break, as is Alt-Enter; pasted text may be long'],
    ['Ctrl-C', 'stops the turn; twice at an empty prompt: leaves'],
    ['Ctrl-D', 'leaves'],
    ['y, a, n', 'the answer to a question; behind n comes the reason, if you give one'],
    ['while it works', 'what you type is kept; Enter sends it when the turn is over'],
    ['Up, Down, Tab', 'what you typed before; the rest of a command'],
  ]
  return definitions([...rows, ['', ''], ...keys], width)
}

// ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function resume({ session, print, reopen }: CommandContext, id: string): Promise<void> {
  if (id !== '') return reopen({ session: { how: 'resumed', id } })
  const others = (await sessionsHere(sessionsFolder(process.env), session.prepared.places.cwd)).filter((one) => one.id !== session.id())
  if (others[0] === undefined) return print(['there is no other session of this folder'])
  return reopen({ session: { how: 'resumed', id: others[0].id } })
}

async function sessions({ session, width, print }: CommandContext): Promise<void> {
  const found = await sessionsHere(sessionsFolder(process.env), session.prepared.places.cwd)
  print(sessionLines(found, session.id(), width))
}

// ── conditions ───────────────────────────────────────────────────────────────────────────────────────────────────────────

async function model({ session, print }: CommandContext, name: string): Promise<void> {
  if (name !== '') await session.setModel(name)
  print([`the model is ${session.model()}`])
}

async function profile({ session, print, reopen, width }: CommandContext, name: string): Promise<void> {
  const { request, profile: current } = session.prepared
  if (name === '') {
    const rows = request.profiles.map((one) => [one.name === current.name ? '▶' : ' ', one.name, one.description])
    return print(columns(rows, width))
  }
  chooseProfile(
    request.profiles.map((one) => ({ rules: [], from: '', ...one })),
    name,
  )
  const id = session.id()
  await reopen({ profile: name, session: id === undefined ? { how: 'new' } : { how: 'resumed', id } })
}

function permissions({ session, colour, print }: CommandContext): void {
  const { readOnly, dryRun, strict } = session.flags.gates
  const gates = [...(readOnly ? ['read-only'] : []), ...(dryRun ? ['dry run'] : []), ...(strict ? ['strict'] : [])]
  print(permissionLines(session.prepared, session.book, gates, styleFor(colour)))
}

/** The gates of a run are looked at with every call, so that they can be shut and opened while it lasts. */
function gate({ session, print }: CommandContext, name: 'readOnly' | 'dryRun', word: string): void {
  const { gates } = session.flags
  const label = name === 'readOnly' ? 'read-only' : 'dry run'
  if (word !== '' && word !== 'on' && word !== 'off') return print([`say on or off, not ${quoted(word)}`])
  if (word !== '') gates[name] = word === 'on'
  print([`${label} is ${gates[name] ? 'on' : 'off'}`])
}
