// The bytes of one source of `watch`, wherever they are cut: finds out the dialect as they come, reads them, and gives every
// record to a view. What comes before the dialect is known is held and then read like the rest. A file that begins anew may be of
// another dialect: then it is another stream; else it goes on with the one before.
import type { Classifier } from '../analyze/classify.ts'
import { copyOf } from '../base/bytes.ts'
import type { Rec } from '../base/json.ts'
import type { Dialect } from '../dialects/contract.ts'
import type { Event } from '../model/event.ts'
import { createSniffer } from '../stream/detect.ts'
import { createReader } from '../stream/read.ts'
import type { Redactor } from '../stream/redact.ts'
import { claimers, inMostHeld, loadDialect, mostHeld, sniff, unknownText } from './dialects.ts'
import { CommandError, exitCodes, say } from './exit.ts'
import { createCleaner } from './watch-redact.ts'
import type { SessionsSeen } from './watch-session.ts'
import { createOver, type Over } from './watch-over.ts'
import type { Put, Seen, View, ViewOptions } from './watch-view.ts'

const newline = Uint8Array.of(0x0a)

export type StreamOptions = {
  /** Put before messages: which file, where there are several. */
  name: string
  /** From the command line. */
  dialect: string | undefined
  maxLine: number | undefined
  put: Put
  /** Takes secrets out of all that is shown. */
  redactor: Redactor | undefined
  createView(options: Pick<ViewOptions, 'dialect' | 'nameOf' | 'put' | 'redactor'>): View | Promise<View>
  /** Absent where nobody asks for classes. */
  createClassifier: ((dialect: Dialect) => Classifier) | undefined
  /** The one session whose end is waited for. */
  session: string | undefined
  /** Told when it has come, also where nothing of it is shown. */
  sessions: SessionsSeen
  /** Records that end before this place are read, for what they leave open, but not shown. */
  skip: number
}

export function createStream({ name, put, createView, createClassifier, redactor, ...options }: StreamOptions) {
  let sniffer = createSniffer(claimers)
  let held: Uint8Array[] | undefined = []
  let began = 0 // where the file began whose dialect is looked for
  let size = 0
  let lineIsOpen = false
  let { skip } = options
  let known: Awaited<ReturnType<typeof open>> | undefined

  async function open(dialectName: string, start: number) {
    const dialect = await loadDialect(dialectName, '--from')
    const over = createOver(dialect.name)
    const classifier = createClassifier?.(dialect)
    const show: Put = {
      line: (text) => skip > 0 || put.line(text),
      bytes: (bytes) => skip > 0 || put.bytes(bytes),
      made: (text) => skip > 0 || put.made(text),
    }
    const view = await createView({ dialect: dialect.name, nameOf: dialect.tag, put: show, redactor })
    const cleaner = redactor === undefined ? undefined : createCleaner(redactor, view.ofRecords === true)
    const present = (seen: Seen): void => {
      if (!view.show(seen) && skip === 0) for (const event of seen.events) if (event.kind === 'issue') complain(event)
    }
    let goesOn = false
    const reader = createReader(
      dialect,
      (all, record, span) => {
        if (skip > 0 && (span === undefined || span.offset + span.end - span.start > skip)) showFromHere(view, over)
        if (goesOn && span !== undefined) return // it may not be whole
        const events = goesOn ? all.filter(({ synthetic, session }) => synthetic !== 'cut' && over.rests(session)) : all
        if (record !== undefined) for (const event of events) if (concerns(event)) heed(over, event, record)
        const classes = classifier === undefined ? [] : events.map((event) => classifier.push(event, record).class)
        const seen = { events, record, span, classes }
        if (cleaner === undefined) present(seen)
        else cleaner.push(seen).forEach(present)
      },
      { others: claimers, maxLine: options.maxLine },
    )
    const settle = async (): Promise<void> => {
      cleaner?.end().forEach(present)
      await view.load?.()
      view.settle?.()
    }
    const end = (forGood: boolean): void => {
      goesOn = !forGood
      reader.end()
      over.tellRests()
    }
    const waitingSince = (): number =>
      start + Math.min(cleaner?.waitingSince() ?? Infinity, view.waitingSince?.() ?? Infinity, over.restsSince())
    return { dialect, view, reader, over, end, settle, waitingSince }
  }

  const concerns = (event: Event): boolean =>
    options.session === undefined || event.session === undefined || event.session === options.session

  function heed(over: Over, event: Event, record: Rec): void {
    over.see(event, record)
    if (event.session === options.session) options.sessions.see(event.session)
  }

  function showFromHere(view: View | undefined, over: Over | undefined): void {
    view?.settle?.()
    over?.tellRests()
    skip = 0
  }

  const complain = ({ line, byte, text, code }: { line: number; byte: number; text: string; code: string }): void =>
    say(`sluice: ${name}line ${line}, byte ${byte}: ${redactor?.text(text).text ?? text} (${code})`)

  async function start(found: string | undefined): Promise<void> {
    const where = size > mostHeld ? inMostHeld : undefined
    const dialectName = found ?? known?.dialect.name
    if (dialectName === undefined) throw new CommandError(`${name}${unknownText(sniffer.detection(), undefined, where)}`, exitCodes.usage)
    if (known !== undefined && known.dialect.name !== dialectName) {
      known.end(true)
      await known.settle()
      say(`sluice: ${name}it is ${dialectName} now, no longer ${known.dialect.name}`)
      known = undefined
    }
    known ??= await open(dialectName, began)
    for (const bytes of held ?? []) known.reader.push(bytes)
    held = undefined
    await known.view.load?.()
  }

  /** Whatever else is written to it. */
  const cannotHoldRecords = (): boolean => sniffer.detection().encoding !== undefined

  async function look(bytes: Uint8Array): Promise<void> {
    const copy = copyOf(bytes) // to sniff it in steps may change the block
    held?.push(copy)
    sniff(sniffer, copy)
    if (options.dialect !== undefined) await start(options.dialect)
    else if (sniffer.decided() || size - began > mostHeld) await start(sniffer.choice()?.name)
  }

  /** Where records may be of several dialects, they are of the one before. */
  function lookAnew(before: string): void {
    sniffer = createSniffer(claimers.toSorted((a, b) => Number(b.name === before) - Number(a.name === before)))
    held = []
    began = size
  }

  async function push(bytes: Uint8Array): Promise<void> {
    size += bytes.length
    lineIsOpen = bytes.at(-1) !== 0x0a
    if (known === undefined || held !== undefined) return look(bytes)
    known.reader.push(bytes)
    await known.view.load?.()
  }

  return {
    push,
    /** Bytes so far. */
    size: (): number => size,
    /** Nothing more is there for now: what has come has to do, since no whole line may wait. */
    async rest(): Promise<void> {
      if (held === undefined || size === began) return
      const choice = sniffer.choice()
      if (choice !== undefined || cannotHoldRecords()) await start(choice?.name)
    },
    /** The file begins anew; a line that was left open will not be ended any more. */
    async anew(what: 'truncated' | 'replaced'): Promise<void> {
      if (lineIsOpen) await push(newline)
      if (known !== undefined && held !== undefined) await start(sniffer.choice()?.name)
      showFromHere(known?.view, known?.over)
      if (what === 'truncated') known?.over.forget()
      if (known !== undefined && options.dialect === undefined) lookAnew(known.dialect.name)
    },
    /**
     * Nothing more is there. `forGood`: nor will it come, so what is not whole is cut, and what is open ends here. Else the end is told
     * of what was not over before the cursor and seems so now; if it goes on, its next end is told in its turn.
     */
    async end(forGood: boolean): Promise<void> {
      sniffer.end()
      const { records, unreadable } = sniffer.detection()
      const isEnough = records > 0 || (unreadable > 0 && (forGood || cannotHoldRecords()))
      if (held !== undefined && (known !== undefined || isEnough)) await start(sniffer.choice()?.name)
      known?.end(forGood)
    },
    settle: async (): Promise<void> => known?.settle(),
    /** All before this place has been shown. */
    shown: (): number => (held !== undefined ? began : Math.min(size, known?.waitingSince() ?? 0)),
    state: () => (held !== undefined && size > began ? 'open' : (known?.over.state() ?? 'open')),
  }
}
