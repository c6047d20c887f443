// The conversation at the terminal: a line from the person, a turn of the agent, and so on until one of them leaves.
import { shortPath } from '../config/places.ts'
import { harmlessLine, harmlessLines } from '../views/harmless.ts'
import { wrapped } from '../views/layout.ts'
import { reasonText } from '../views/reason.ts'
import { styleFor } from '../views/style.ts'
import { type AskParts, createChatAsk } from './chat-ask.ts'
import { commandWords, isCommand, runCommand } from './chat-commands.ts'
import { historyPath, openHistory } from './chat-history.ts'
import { createKeyboard } from './chat-keyboard.ts'
import { sumText } from './chat-lists.ts'
import { lastExchange } from './chat-recall.ts'
import { type ChatSession, openChatSession } from './chat-session.ts'
import { createStage, type Stage } from './chat-stage.ts'
import { exitCodeOf, exitCodes, say, signalCodes } from './exit.ts'
import type { RunRequest } from '../run/request.ts'
import { screenOf } from './terminal.ts'
import { version } from './version.ts'

type Signal = keyof typeof signalCodes

/** `first`: a prompt from the command line. */
export async function talk(flags: RunRequest, first: string): Promise<number> {
  const { stdin: input, stdout: output } = process
  const { colour } = screenOf()
  const style = styleFor(colour)
  const size = () => ({ columns: output.columns || 80, rows: output.rows || 24 })
  const width = (): number => Math.min(screenOf().width, size().columns - 1) // the last column of a terminal is a trap
  const write = (text: string): void => void output.write(text)
  const print = (lines: readonly string[]): void => write(lines.map((line) => `${line}\n`).join(''))

  // ── the session, and what is seen of it ────────────────────────────────────────────────────────────────────────────────

  let stage!: Stage // both are set before anything else happens
  let session!: ChatSession
  /** What was before stays when this fails. */
  async function open(next: RunRequest): Promise<void> {
    const own = createStage({ write, size, width, colour, thinking: next.thoughts, ahead: () => keyboard.ahead() })
    const keys = {
      choose: (...args) => keyboard.choose(...args),
      words: (...args) => keyboard.words(...args),
    } satisfies AskParts['keyboard']
    const ask = createChatAsk({ keyboard: keys, style, width, show: own.ask, settle: own.settle })
    session = await openChatSession(next, { answerer: ask, push: own.push, flush: own.flush })
    stage = own
  }

  async function reopen(change: Partial<RunRequest>): Promise<void> {
    const next = { ...session.flags, ...change }
    // Two must not write one file; else the old session is left only when the new one is there.
    const isSame = next.session.how !== 'new' && next.session.id === session.id()
    if (isSame) await session.close()
    const old = session
    await open(next)
    if (!isSame) await old.close()
  }

  let isFirst = true
  function greet(): void {
    const { prepared, flags: asked, history } = session
    const { readOnly, dryRun, strict } = asked.gates
    const facts = [
      session.model(),
      shortPath(prepared.places.cwd, prepared.places.home),
      ...(prepared.profile.name === 'default' ? [] : [`profile ${prepared.profile.name}`]),
      ...(readOnly ? ['read-only'] : []),
      ...(dryRun ? ['dry run'] : []),
      ...(strict ? ['strict'] : []),
      ...(asked.autoApprove ? ['nothing is asked'] : []),
      ...(asked.session.how === 'new' ? [] : [`${asked.session.how} ${session.id()}`]),
    ]
    print(wrapped(`${style.bold(`sluice ${version}`)}${style.dim(facts.map((fact) => ` · ${harmlessLine(fact)}`).join(''))}`, width()))
    for (const { text } of prepared.request.notices ?? [])
      print(wrapped(harmlessLine(text), width() - 2).map((line, index) => `${index === 0 ? style.yellow('!') : ' '} ${style.dim(line)}`))
    if (isFirst) print([style.dim('/help lists the commands · Ctrl-C stops a turn · Ctrl-D leaves')])
    isFirst = false
    const before = lastExchange(history, { width: width(), colour })
    if (before.length > 0) print(['', ...before])
  }

  // ── turns ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  let heard: Signal | undefined
  let isWorking = false
  const keyboard = createKeyboard({
    input,
    output,
    onInterrupt() {
      if (!isWorking) return
      stage.hold(style.yellow('stopping … Ctrl-C again leaves at once'))
      session.stop()
    },
    onAhead: () => stage.refresh(),
  })
  const hear = (signal: NodeJS.Signals): void => {
    heard ??= signal as Signal
    keyboard.end()
  }
  const signals = Object.keys(signalCodes) as Signal[]
  for (const signal of signals) process.on(signal, hear)

  /** The exit code, when the session is over and cannot go on. */
  async function turn(text: string): Promise<number | undefined> {
    isWorking = true
    stage.begin()
    try {
      const before = session.book.turns()
      const end = await session.prompt(text)
      if (end === undefined) return undefined
      if (session.book.turns() === before)
        // it ended while nobody worked: no turn has told why
        stage.put([`${style.yellow('■')} ${harmlessLine(end.error?.text ?? `the session has ended: ${reasonText(end.reason)}`)}`])
      if (heard !== undefined) return signalCodes[heard]
      if (end.reason === 'cancelled_forced') return exitCodes.ok
      if (end.reason !== 'max_turns') return exitCodeOf(end)
    } finally {
      isWorking = false
      stage.rest()
    }
    await reopen({ session: { how: 'resumed', id: session.id() } }) // that limit is one of a prompt, not of the chat
    return undefined
  }

  async function command(text: string): Promise<void | 'leave'> {
    try {
      return await runCommand(text, { session, width: width(), colour, print, reopen: (change) => reopen(change).then(greet) })
    } catch (error) {
      print(wrapped(style.red(harmlessLine(error instanceof Error ? error.message : String(error))), width()))
    }
  }

  async function converse(): Promise<number> {
    const history = openHistory(historyPath(session.prepared.places.stateFolder))
    let waiting: string | undefined = first.trim() === '' ? undefined : first
    let isLeaving = false // Ctrl-C was pressed at an empty prompt
    for (;;) {
      print([''])
      const given = waiting ?? keyboard.takeSent()
      waiting = undefined
      if (given !== undefined)
        print(harmlessLines(given).map((line, index) => `${index === 0 ? style.cyan('❯') : ' '} ${style.bold(line)}`))
      const typed =
        given !== undefined
          ? { type: 'line' as const, text: given }
          : await keyboard.line({ prompt: `${style.cyan('❯')} `, history: history.entries(), words: commandWords })
      if (heard !== undefined) return signalCodes[heard]
      if (typed.type === 'end') return exitCodes.ok
      if (typed.type === 'interrupt') {
        if (typed.wasEmpty && isLeaving) return exitCodes.ok
        isLeaving = typed.wasEmpty
        if (isLeaving) print([style.dim('Ctrl-C again leaves')])
        continue
      }
      isLeaving = false
      const text = typed.text.trim()
      if (text === '') continue
      history.add(text)
      if (!isCommand(text)) {
        const code = await turn(text)
        if (code !== undefined) return code
      } else if ((await command(text)) === 'leave') return exitCodes.ok
    }
  }

  try {
    await open(flags)
    greet()
    const code = await converse()
    keyboard.close()
    await session.close()
    const id = session.id()
    if (id !== undefined && session.book.turns() > 0) {
      say(`sluice: ${sumText(session.book)}`)
      say(`go on with: sluice chat --resume ${id}`)
    }
    return code
  } finally {
    keyboard.close()
    for (const signal of signals) process.off(signal, hear)
  }
}
