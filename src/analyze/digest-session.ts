// One session of a digest. It keeps counts and the first of each list, never a whole text or output.
import type { Event, EventOf, Fault } from '../model/event.ts'
import { outcomeOf } from '../model/outcome.ts'
import type { Verdict } from './classes.ts'
import { type AskDigest, type ErrorDigest, keeper, type SessionDigest, type TaskDigest } from './digest-shape.ts'
import { createTools } from './digest-tools.ts'
import { beginning, copyOf, createMemory, ending } from './excerpt.ts'
import { phraseOf } from './phrases.ts'
import { between, known } from './snapshot.ts'
import { createScripted } from './scripted.ts'
import { isForRoom, type Stall } from './stall.ts'
import { subjectOf } from './subject.ts'
import type { Totals } from './usage.ts'

const longest = { prompt: 500, answer: 1000, excerpt: 160, error: 500 }
const most = { asks: 50, tasks: 100, findings: 100, errors: 50, stalls: 50, open: 1024 }

type Setting = Pick<SessionDigest, 'program' | 'version' | 'model' | 'cwd' | 'mode' | 'title'>

export type SessionFold = ReturnType<typeof createSessionFold>

export function createSessionFold(session: string | undefined) {
  const tools = createTools()
  const scripted = createScripted()
  const asks = keeper<AskDigest>(most.asks)
  const tasks = keeper<TaskDigest>(most.tasks)
  const findings = keeper<SessionDigest['findings']['items'][number]>(most.findings)
  const errors = new Map<string, ErrorDigest>()
  const mild = new Map<string | undefined, Fault>() // the last one in each lane that was not the end of it; a retry may follow
  const stalls = new Map<string, Stall>()
  const asked = new Map<string, EventOf<'permission.request'>>()
  const running = new Map<string, EventOf<'task.start'>>()
  const counts = { prompts: 0, turns: 0, steps: 0, questions: 0, retries: 0, compactions: 0 }
  const permissions = { asked: 0, allowed: 0, refused: 0, unanswered: 0 }
  const trouble = { findings: 0, errors: 0, denied: 0 }
  let setting: Setting = {}
  let run: string | undefined
  let prompt = ''
  const said = createMemory()
  const thought = createMemory()
  let answer: string | undefined
  let start: number | undefined
  let end: number | undefined
  let last = 0
  let silence: SessionDigest['longestSilence']
  let inTurn = false
  let inPrompt = false // the pieces of one stand together
  let idle: string | undefined // what was waited for between turns; these need not tell their times
  let turnsMs = 0
  let runsMs: number | undefined // as the ends tell, if all of them do
  let notAllowed: SessionDigest['notAllowed'] = { items: [], more: 0 }
  let background = 0
  const more = { errors: 0, stalls: 0 }
  let over: EventOf<'session.end'> | undefined

  function time(at: number | undefined, seq: number): void {
    if (at !== undefined) {
      if (end === undefined) start = at
      else if (at - end > (silence?.ms ?? 0)) silence = { ms: at - end, from: end, to: at, seq: last, during: idle ?? waitsFor() }
      if (!(end! >= at)) end = at
      if (inTurn) idle = undefined
    }
    last = seq
  }

  const waitsFor = (): string => (asked.size > 0 ? 'a permission' : (tools.current() ?? task() ?? 'the model'))

  const task = (): string | undefined =>
    running.size === 0 ? undefined : [...running.values()].some(({ type }) => type === 'agent') ? 'a subagent' : 'a background command'

  /** Where a subagent has no name of its own, what its call is about tells a reader more than an id. */
  const taskTitle = ({ call, prompt: asks = '' }: EventOf<'task.start'>): string | undefined =>
    beginning(tools.subject(call) || asks, longest.excerpt) || undefined

  /** The end of a message, a turn or a session only says again what failed. What was cancelled has not failed. */
  function fail({ category, text }: Fault, { seq, at, kind }: Event): void {
    if (category === 'cancelled') return
    const short = beginning(text, longest.error)
    const before = errors.get(`${category} ${short}`)
    if (before !== undefined) before.times += kind === 'error' || kind === 'task.end' ? 1 : 0
    else if (errors.size < most.errors) errors.set(`${category} ${short}`, { seq, ...known({ at }), category, text: short, times: 1 })
    else more.errors++
  }

  function error(event: EventOf<'error'>): void {
    if (event.error.category === 'cancelled') return
    trouble.errors++
    fail(event.error, event)
    if (event.fatal !== true && mild.size < most.open) mild.set(event.agent, event.error)
  }

  /** An error after which the model is asked again is told as a retry, as by the agents that tell no more. A run that begins anew failed. */
  function retry({ agent, scope }: EventOf<'retry.start'>): void {
    counts.retries++
    const retried = scope === 'model' ? mild.get(agent) : undefined
    if (retried === undefined) return
    mild.delete(agent)
    trouble.errors--
    const key = `${retried.category} ${beginning(retried.text, longest.error)}`
    const listed = errors.get(key)
    if (listed === undefined) more.errors--
    else if (--listed.times === 0) errors.delete(key)
  }

  /** The words around it. Of a text in pieces they end where it was found. */
  function found(event: Event, rule: string): string {
    const text = 'text' in event ? (event.text ?? '') : ''
    if (event.agent !== undefined || (event.kind !== 'text.delta' && event.kind !== 'thought.delta')) return around(text, rule)
    return ending((event.kind === 'text.delta' ? said : thought).text(), longest.excerpt)
  }

  function find(event: Event, rule: string): void {
    const { seq, at, agent } = event
    trouble.findings++
    findings.add(() => ({ seq, rule, text: found(event, rule), ...known({ at, agent }) }))
  }

  function ask(event: EventOf<'permission.answer'>): void {
    const { id = '', decision, by, at, name, toolKind = 'other' } = event
    const request = asked.get(id)
    asked.delete(id)
    const isOpen = decision === 'withdrawn'
    permissions[isOpen ? 'unanswered' : decision === 'allow' ? 'allowed' : 'refused']++
    if (!isOpen && decision !== 'allow') trouble.denied++
    if (!wasAsked(request) && decision === 'allow') return // a rule's yes is no news
    const waitedMs = wasAsked(request) ? between(request?.at, at) : undefined
    asks.add(() => {
      const question = request?.question ?? subjectOf({ toolKind: request?.toolKind ?? toolKind, input: request?.input ?? event.input })
      const short = question === '' ? undefined : beginning(question, longest.excerpt)
      return { decision, ...known({ name: request?.name ?? name, question: short, by, waitedMs }) }
    })
  }

  function endTurn(event: EventOf<'turn.end'>): void {
    const { reason, error, durationMs, text, failed, denied } = event
    turnsMs += durationMs ?? 0
    inTurn = false
    inPrompt = false
    idle = task() ?? 'a prompt'
    tools.endTurn(denied)
    if (denied !== undefined && denied.length > sizeOf(notAllowed)) notAllowed = listOf(denied) // the list may go on from turn to turn
    answer = text === undefined ? ending(said.text(), longest.answer) || answer : beginning(text, longest.answer)
    said.clear()
    thought.clear()
    mild.clear()
    if (outcomeOf(reason) !== 'failed' && failed !== true) return
    trouble.errors++
    if (error !== undefined) fail(error, event)
  }

  /** A session that was resumed tells the time of each run, or of all of them: that one reaches back before the former end. */
  function tookWith({ at, durationMs }: EventOf<'session.end'>): number | undefined {
    if (over === undefined || durationMs === undefined) return durationMs
    const isOfAll = at !== undefined && over.at !== undefined && at - durationMs < over.at
    return isOfAll ? durationMs : runsMs === undefined ? undefined : runsMs + durationMs
  }

  function step(event: Event): void {
    scripted.push(event)
    switch (event.kind) {
      case 'session.start':
      case 'session.update': {
        const { program, version, model, cwd, mode, title } = event
        if (event.agent === undefined) setting = { ...setting, ...known({ program, version, model, cwd, mode, title }) }
        if (cwd) tools.enter(cwd, event.agent)
        break
      }
      case 'prompt.submit':
        if (event.agent !== undefined || event.by === 'system' || event.by === 'hook') break
        if (event.at !== undefined) idle = undefined
        if (event.partial !== true || !inPrompt) counts.prompts++
        inPrompt = event.partial === true
        if (counts.prompts === 1 && prompt.length < longest.prompt * 2) prompt += copyOf(event.text ?? '', longest.prompt * 2)
        break
      case 'turn.start':
        counts.turns++
        inTurn = true
        if (event.at !== undefined) idle = undefined
        break
      case 'turn.end':
        endTurn(event)
        break
      case 'message.end':
        counts.steps++
        if (event.agent === undefined && event.model?.startsWith('<') === false) setting.model ??= event.model
        if (event.error !== undefined) fail(event.error, event)
        break
      case 'text.end':
        if (event.agent !== undefined) break
        inPrompt = false
        if (!event.streamed) {
          said.clear()
          said.hear(event.text ?? '')
        }
        said.close()
        break
      case 'tool.start':
        inPrompt = false
        tools.start(event)
        break
      case 'tool.update':
        tools.update(event)
        break
      case 'tool.end':
        tools.end(event)
        break
      case 'file.update':
        for (const { path } of event.changes ?? []) tools.changed(path, event.agent)
        break
      case 'permission.request':
        tools.wait(event)
        if (wasAsked(event)) permissions.asked++
        if (asked.size < most.open) asked.set(event.id, event)
        break
      case 'permission.answer':
        tools.wait(event)
        ask(event)
        break
      case 'question.answer':
        tools.wait(event)
        break
      case 'question.request':
        tools.wait(event)
        counts.questions++
        break
      case 'task.start':
        if (running.size < most.open) running.set(event.task, { ...event, title: event.title ?? taskTitle(event) })
        break
      case 'task.end': {
        const begun = running.get(event.task)
        running.delete(event.task)
        const durationMs = between(begun?.at, event.at)
        const type = begun?.type ?? 'agent'
        if (type === 'command') background++
        tasks.add(() => ({
          task: event.task,
          type,
          status: event.status,
          ...known({ title: begun?.title, durationMs }),
        }))
        if (event.error !== undefined) fail(event.error, event)
        break
      }
      case 'retry.start':
        retry(event)
        break
      case 'context.trim':
        if (isForRoom(event)) counts.compactions++
        break
      case 'error':
        error(event)
        break
      case 'session.end':
        runsMs = tookWith(event)
        over = event
        if (event.error !== undefined) fail(event.error, event)
        if (outcomeOf(event.reason) === 'failed' && trouble.errors === 0) trouble.errors++
    }
  }

  const errorList = (): SessionDigest['errors'] => ({ items: [...errors.values()], more: more.errors })

  return {
    trouble,
    /** A refusal is often told more than once: as an answer, by its call, and at the end of the turn. */
    counts: () => ({ ...trouble, denied: Math.max(trouble.denied, tools.denied(), sizeOf(notAllowed)) }),
    errors: errorList,
    retries: () => counts.retries,
    /** Nothing was done in it; something may have been said. */
    isIdle: () => counts.turns + counts.prompts === 0,
    /** Most events come this way. */
    piece(event: EventOf<'text.delta'> | EventOf<'thought.delta'>, { class: its, rule }: Verdict): void {
      time(event.at, event.seq)
      if (event.agent === undefined) (event.kind === 'text.delta' ? said : thought).hear(event.text)
      inPrompt &&= event.agent !== undefined
      if (its === 'FINDING') find(event, rule)
    },
    push(event: Event, { class: its, rule }: Verdict): void {
      time(event.at, event.seq)
      run ??= event.run
      step(event)
      if (its === 'FINDING') find(event, rule)
    },
    stall(stall: Stall): void {
      if (stalls.has(stall.id) || stalls.size < most.stalls) stalls.set(stall.id, known(stall) as Stall)
      else more.stalls++
    },
    digest(usage: Totals): SessionDigest {
      const { reason = 'cut', error, exitCode, signal, synthetic } = over ?? {}
      return {
        ...known({ session, run }),
        ...setting,
        ...(scripted.session() && { scripted: true as const }),
        ...known({ prompt: prompt === '' ? undefined : beginning(prompt, longest.prompt) }),
        ...known({ start, end, durationMs: runsMs ?? (Math.max(turnsMs, start === undefined ? 0 : end! - start) || undefined) }),
        ...counts,
        tools: tools.tools(),
        files: tools.files(),
        commands: tools.commands(),
        permissions: { ...permissions, ...asks.list() },
        notAllowed,
        subagents: { ...tasks.list(), commands: background },
        findings: findings.list(),
        errors: errorList(),
        ...known({ longestSilence: silence }),
        stalls: { items: [...stalls.values()], more: more.stalls },
        usage,
        ended: {
          reason,
          outcome: outcomeOf(reason),
          cut: over === undefined || synthetic === 'cut',
          ...known({ error: error && known(error), exitCode, signal }),
        },
        ...known({ answer: over?.text === undefined ? answer : beginning(over.text, longest.answer) }),
      }
    },
  }
}

/** Some dialects have no answer without a request; what was put there for that was asked of nobody. */
const wasAsked = (request: EventOf<'permission.request'> | undefined): boolean => request !== undefined && request.synthetic !== 'required'

const sizeOf = ({ items, more }: SessionDigest['notAllowed']): number => items.length + more

function listOf(denied: NonNullable<EventOf<'turn.end'>['denied']>): SessionDigest['notAllowed'] {
  const list = keeper<SessionDigest['notAllowed']['items'][number]>(most.asks)
  for (const { name, input } of denied)
    list.add(() => ({ name, ...known({ subject: beginning(subjectOf({ toolKind: 'other', input }), longest.excerpt) || undefined }) }))
  return list.list()
}

function around(text: string, rule: string): string {
  const at = text.toLowerCase().indexOf(phraseOf(rule) ?? text)
  const from = Math.max(0, at - longest.excerpt / 4)
  return `${from > 0 ? '…' : ''}${beginning(copyOf(text.slice(from), longest.excerpt * 2), longest.excerpt)}`
}
