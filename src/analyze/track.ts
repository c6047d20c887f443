// What is known of a session by now: Avenor's SessionTracker, for the events of every dialect.
// Two surprises. A session that has ended says nothing more until it works again. And `waiting` means that somebody must answer: an
// agent that has nothing to do is idle.
import type { Event, EventOf, Kind } from '../model/event.ts'
import type { Pricer } from '../prices/price.ts'
import { isEqual, known, type Loop, type OpenRequest, type OpenTool, type Snapshot } from './snapshot.ts'
import { createAgents } from './track-agents.ts'
import { createAmounts } from './track-amounts.ts'
import { createStatus, isOnScreen, showsWork } from './track-status.ts'

export type { AgentNode, Loop, OpenRequest, OpenTool, Snapshot } from './snapshot.ts'

export type TrackOptions = {
  /** For what the source tells no cost of. */
  price?: Pricer | undefined
  /** Only snapshots are wanted, and few: sums are made for them, and `observe` does not tell that one has grown. */
  late?: boolean | undefined
}

export type Tracker = {
  /** Whether the snapshot is another one now. Events of other sessions change nothing. */
  observe(event: Event): boolean
  /** A copy. */
  snapshot(): Snapshot
}

type Facts = Omit<Snapshot, 'openTools' | 'openRequests' | 'agents'>

const mostOpen = 4096

/** Without a session it takes the first that is named. */
export function createTracker(session?: string, { price, late = false }: TrackOptions = {}): Tracker {
  const facts: Facts = session === undefined || session === '' ? {} : { session }
  const tools = new Map<string, OpenTool>()
  const requests = new Map<string, OpenRequest & { source: string | undefined }>()
  const agents = createAgents()
  const amounts = createAmounts(price)
  const status = createStatus()
  let openTurns = 0
  let changed = false

  function put<K extends keyof Facts>(key: K, value: Facts[K] | undefined): void {
    if (facts[key] === value) return
    changed = true
    if (value === undefined) delete facts[key]
    else facts[key] = value
  }
  /** What is not told anew stays. */
  function learn(more: { [K in keyof Facts]: Facts[K] | undefined }): void {
    for (const key in more) if (more[key as keyof Facts] !== undefined) put(key as keyof Facts, more[key as keyof Facts] as never)
  }

  // ── what is open ──────────────────────────────────────────────────────────

  function open<T extends object>(list: Map<string, T>, key: string | undefined, value: T): void {
    const before = key === undefined ? value : list.get(key)
    if (key === undefined || (before !== undefined && isEqual(before, value))) return
    if (list.size >= mostOpen) list.delete(list.keys().next().value!)
    list.set(key, value)
    changed = true
  }
  function close(list: Map<string, unknown>, key: string | undefined): void {
    if (key !== undefined && list.delete(key)) changed = true
  }

  function updateTool({ call = '', toolKind, title }: EventOf<'tool.update'>): void {
    const tool = tools.get(call)
    if (tool === undefined || ((toolKind ?? tool.toolKind) === tool.toolKind && (title ?? tool.title) === tool.title)) return
    open(tools, call, { ...tool, ...known({ toolKind, title }) })
  }

  /** A call that is over was decided on, whoever was asked. */
  function endTool({ call }: EventOf<'tool.end'>): void {
    close(tools, call)
    for (const [id, request] of requests) if (request.call === call) close(requests, id)
  }

  function ask(event: EventOf<'permission.request'> | EventOf<'question.request'>): void {
    const { id, call, agent, at: since } = event
    const isQuestion = event.kind === 'question.request'
    const { name, question, source } = isQuestion ? { question: event.questions[0]?.text } : event
    open(requests, id, { id, about: isQuestion ? 'question' : 'permission', source, ...known({ name, question, call, agent, since }) })
  }

  // ── what is said ──────────────────────────────────────────────────────────

  function report({ type, state, to, status: word, text, files }: EventOf<'report'>): void {
    if (type === 'ready') put('channelReady', true)
    else if (type === 'state') learn({ lastReportState: state })
    else if (type === 'reply') learn({ lastReplyTo: to })
    else finish(word, text, files)
  }

  function finish(word: string | undefined, text: string | undefined, files: readonly string[] | undefined): void {
    learn({ finishStatus: word, finishSummary: text })
    if (files === undefined || isSame(files, facts.filesChanged)) return
    put('filesChanged', [...files])
  }

  function loop(event: RunEvent): void {
    const before = facts.loop ?? {}
    let now: Loop
    if (event.kind === 'run.start') now = known({ label: event.label, maxIterations: event.maxIterations })
    else if (event.kind === 'phase.start') now = { ...before, iteration: event.iteration, phase: event.name, stage: event.stage }
    else {
      const { phase: _phase, stage: _stage, ...rest } = before
      now = event.kind === 'phase.end' ? { ...rest, iteration: event.iteration } : { ...rest, ended: event.reason }
    }
    if (!isEqual(now, before) || facts.loop === undefined) put('loop', now)
  }

  function end({ reason, status: word, text, files }: EventOf<'session.end'>): void {
    put('stopReason', reason)
    put('ended', true)
    if (word !== undefined || files !== undefined) finish(word, text, files)
    openTurns = 0
    for (const list of [tools, requests]) for (const key of list.keys()) close(list, key)
    status.begin('done')
  }

  function weigh(): void {
    put('usage', amounts.usage())
    put('costUsd', amounts.costUsd())
  }

  /** A session that has ended begins anew with work. A late word is none, nor is a start that only such a word implies. */
  function goesOn(event: Event): boolean {
    if (!work.has(event.kind) || (event.kind.endsWith('.start') && event.synthetic !== undefined)) return false
    put('ended', undefined)
    put('stopReason', undefined)
    learn({ turn: event.turn })
    openTurns = event.kind === 'session.start' || event.kind === 'turn.start' ? 0 : 1
    status.begin('working')
    return true
  }

  function step(event: Event): void {
    switch (event.kind) {
      case 'session.start':
      case 'session.update': {
        const { program: backend, version, model, cwd, mode, title } = event
        if (event.agent === undefined) learn({ backend, version, model, cwd, mode, title }) // a subagent may have others
        if (event.kind === 'session.start') status.begin('starting')
        break
      }
      case 'session.end':
        end(event)
        break
      case 'turn.start':
        openTurns++
        learn({ turn: event.turn })
        status.begin('working')
        break
      case 'turn.end':
        openTurns = Math.max(0, openTurns - 1)
        if (openTurns === 0) status.begin('idle')
        break
      case 'message.start':
      case 'message.end':
        if (event.agent === undefined && event.model?.startsWith('<') === false) learn({ model: event.model }) // <synthetic> is none
        break
      case 'thought.delta':
      case 'thought.end':
        if (event.agent === undefined) status.show('thinking')
        break
      case 'prompt.submit':
        if (event.agent === undefined) put(event.state === 'queued' ? 'promptQueued' : 'promptSubmitted', true)
        break
      case 'tool.start': {
        const { call, name, toolKind, title, agent, at: since } = event
        open(tools, call, { call: call!, name, toolKind, ...known({ title, agent, since }) })
        status.show('working')
        break
      }
      case 'tool.update':
        updateTool(event)
        break
      case 'tool.end':
        endTool(event)
        break
      case 'permission.request':
      case 'question.request':
        ask(event)
        break
      case 'permission.answer':
      case 'question.answer':
        close(requests, event.id)
        if (requests.size === 0) status.goOn()
        break
      case 'task.start':
      case 'task.update':
      case 'task.end':
        if (agents.observe(event)) changed = true
        if (agents.dropped() > 0) put('moreAgents', agents.dropped())
        break
      case 'status.update':
        if (showsWork(event)) for (const [id, { source }] of requests) if (isOnScreen(source)) close(requests, id)
        status.tell(event)
        break
      case 'report':
        report(event)
    }
  }

  return {
    observe(event) {
      if (event.session !== undefined && facts.session !== undefined && event.session !== facts.session) return false
      changed = false
      const wasOver = facts.ended === true
      if (isOfRun(event)) {
        loop(event)
        if (wasOver) return changed
      } else if (wasOver && !goesOn(event)) return false
      if (event.session !== undefined) put('session', event.session)
      if (event.run !== undefined && event.run !== '') put('run', event.run)
      put('lastEvent', event.kind === 'raw' ? event.type : event.kind)
      if (!wasOver && (event.kind === 'text.delta' || event.kind === 'tool.delta')) return changed // most events: nothing more to learn
      step(event)
      amounts.observe(event)
      if (!late || facts.usage === undefined) weigh()
      put('context', amounts.context())
      const isAsked = requests.size > 0
      put('phase', isAsked ? 'waiting' : status.phase())
      put('label', status.label())
      put('waitingPermission', isAsked || status.phase() === 'waiting' || undefined)
      return changed
    },
    snapshot() {
      weigh()
      return structuredClone({
        ...facts,
        openTools: [...tools.values()],
        openRequests: [...requests.values()].map(({ source: _, ...request }) => request),
        agents: agents.tree(),
      })
    },
  }
}

export type RunEvent = EventOf<'run.start'> | EventOf<'run.end'> | EventOf<'phase.start'> | EventOf<'phase.end'>
export const isOfRun = (event: Event): event is RunEvent => ofRun.has(event.kind)
const ofRun: ReadonlySet<Kind> = new Set(['run.start', 'run.end', 'phase.start', 'phase.end'])

const work: ReadonlySet<Kind> = new Set([
  'session.start',
  'turn.start',
  'prompt.submit',
  'message.start',
  'text.delta',
  'text.end',
  'thought.delta',
  'thought.end',
  'content.end',
  'tool.start',
  'permission.request',
  'question.request',
])

const isSame = (a: readonly string[], b: readonly string[] | undefined): boolean =>
  a.length === b?.length && a.every((item, index) => item === b[index])
