// events → Claude. Writes a legal stream of documented shapes: an init before every turn, one block an assistant record, a
// result after every turn. What the source leaves open (an id, a result, a session's end) is added and counted.
import type { Event, EventOf } from '../../model/event.ts'
import { outcomeOf } from '../../model/outcome.ts'
import { totalTokens } from '../../model/usage.ts'
import { type Encoder, type Sink, syntheticOf, wireId } from '../contract.ts'
import {
  cancelRequest,
  hookEnd,
  hookStart,
  permissionAnswer,
  permissionRequest,
  questionAnswer,
  questionRequest,
} from './encode-control.ts'
import { contentEnd, delta, textEnd, thoughtEnd, toolDelta, toolStart } from './encode-content.ts'
import { createHolder } from './encode-hold.ts'
import { messageDrop, messageEnd, messageStart, release } from './encode-message.ts'
import { nameByKey, nameSession, newSession, type Writer, type WriteSession } from './encode-state.ts'
import {
  commands,
  contextTrim,
  error,
  flushMode,
  notice,
  retryStart,
  sessionUpdate,
  statusUpdate,
  taskEnd,
  taskStart,
  taskUpdate,
  toolProgress,
  usageUpdate,
} from './encode-system.ts'
import { toolEnd, writePrompt } from './encode-tool.ts'
import { isClaudeCode, loseProgram, restOf, saidReasons, writeInit, writeResult } from './encode-turn.ts'

export function encode(out: Sink): Encoder {
  /** Before it does what the message asks for. */
  const endsFirst = (): boolean => on.session.setting.program === 'sluice'
  const sink = createHolder(out, endsFirst)
  const sessions = new Map<string | undefined, WriteSession>()
  const on: Writer = { sink, session: newSession(undefined), again: new Set(), made: 0, named: new Map(), waiting: new Set(), unnamed: 0 }

  function enter(event: Event): void {
    const { session: key, at } = event
    if (on.session.key !== key || sessions.size === 0) {
      const session = sessions.get(key)
      if (session !== undefined) on.session = session
      else {
        sessions.set(key, (on.session = newSession(key)))
        nameByKey(on)
      }
    }
    if (at !== undefined) on.session.lastAt = at
  }

  /** Messages of the main lane need an open turn, those of a subagent only that the session has begun. */
  function needTurn(event: Event): void {
    const { session } = on
    if (event.agent === undefined ? session.openTurns > 0 : session.inits > 0) return
    beginTurn(event, 'required')
  }

  /** What the event says comes after the prompts that wait. */
  function inTurn(event: Event): void {
    needTurn(event)
    flushPrompts()
  }

  function beginTurn(event: Event, synthetic: string | undefined): void {
    const { session } = on
    const added = synthetic ?? (session.inits === 0 ? session.unsaid : undefined)
    writeInit(on, event.at ?? session.lastAt, added, synthetic === undefined ? event : undefined)
    const { prompts } = session
    session.prompts = []
    if (session.queued !== undefined && !prompts.includes(session.queued)) sink.lost(session.queued)
    session.queued = undefined
    for (const prompt of prompts) writePrompt(on, prompt)
  }

  /** Prompts wait for their turn, and pieces for their rest. */
  function prompt(event: EventOf<'prompt.submit'>): void {
    const { session } = on
    if (event.state === 'queued' && event.agent === undefined && session.inits === 0) return void (session.queued = event)
    if (event.state === 'queued') return sink.lost(event)
    if (event.agent !== undefined) {
      needTurn(event)
      return writePrompt(on, event)
    }
    const last = session.prompts.at(-1)
    if (event.partial === true && last?.partial === true)
      session.prompts[session.prompts.length - 1] = { ...last, text: (last.text ?? '') + (event.text ?? '') }
    else session.prompts.push(event)
    if (event.partial !== true && session.openTurns > 0) flushPrompts()
  }

  function flushPrompts(): void {
    const { session } = on
    const { prompts } = session
    if (prompts.length === 0 || session.openTurns === 0) return
    session.prompts = []
    for (const waiting of prompts) writePrompt(on, waiting)
  }

  function catalog(event: EventOf<'catalog.update'>): void {
    const { session } = on
    const { tools, skills, servers, commands: slash, agents, plugins } = event
    const told = Object.entries({ tools, skills, servers, commands: slash, agents, plugins }).filter(([, list]) => list !== undefined)
    if (told.length === 0) return sink.lost(event)
    session.catalog = { ...session.catalog, ...Object.fromEntries(told) }
    // In the middle of a turn only commands can be told; the next init has the rest.
    if (session.openTurns > 0 && slash !== undefined && tools === undefined) commands(on, event)
    else session.untold.push(event)
  }

  function sessionStart(event: EventOf<'session.start'>): void {
    const { model, cwd, mode, program, version } = event
    const { setting } = on.session
    nameSession(on, event.native)
    on.session.unsaid = syntheticOf(event)
    Object.assign(setting, {
      model: model ?? setting.model,
      cwd: cwd ?? setting.cwd,
      mode: mode ?? setting.mode,
      program: program ?? setting.program,
      version: version ?? setting.version,
    })
    loseProgram(on, event)
    const told = model ?? cwd ?? mode ?? (isClaudeCode(on) ? version : undefined)
    if (on.session.inits === 0 && told !== undefined) on.session.untold.push(event)
  }

  function turnEnd(event: EventOf<'turn.end'>): void {
    if (!saidReasons.has(event.reason)) sink.lost(event, 'reason', 'approx')
    const { text } = event
    if (text && outcomeOf(event.reason) !== 'ok' && text !== on.session.turn.text && text !== event.error?.text) sink.lost(event, 'text')
    if (!writeResult(on, event, syntheticOf(event), event)) sink.lost(event, 'error.category', 'approx')
  }

  /** Claude has no word for it: open turns get their result, and a session that never had one gets one. */
  function sessionEnd(event: EventOf<'session.end'>): void {
    const { session } = on
    session.over = true
    if (session.queued !== undefined && session.inits === 0) session.prompts.push(session.queued) // it failed before its first turn
    const isAsked = session.prompts.length > 0 // and never answered
    if ((isAsked || session.follows) && session.openTurns === 0 && session.results === 0) beginTurn(event, 'required')
    forgetRest(session)
    if (session.openTurns === 0 && session.results > 0) {
      if (outcomeOf(event.reason) !== 'ok' && event.reason !== session.lastReason) return sink.lost(event)
      const { usage, cost } = restOf(session, event)
      if (usage !== undefined && totalTokens(usage) > 0) sink.lost(event, 'usage')
      if (cost !== undefined) sink.lost(event, 'cost')
      return
    }
    do {
      const end = { ...event, ...restOf(session, event) }
      if (!writeResult(on, end, session.openTurns === 0 ? 'required' : syntheticOf(event))) sink.lost(event, 'error.category', 'approx')
    } while (session.openTurns > 0)
  }

  /** No turn is to come that could tell these. */
  function forgetRest(session: WriteSession): void {
    for (const waiting of [...session.prompts, ...session.untold, ...(session.context === undefined ? [] : [session.context])])
      sink.lost(waiting)
    session.prompts = []
    session.untold = []
    session.context = undefined
  }

  const early: EventOf<'notice'>[] = [] // of a run whose session is not known yet

  function push(event: Event): void {
    if (event.kind === 'run.start' || event.kind === 'run.end' || event.kind === 'phase.start' || event.kind === 'phase.end') return
    if (event.kind === 'notice' && event.session === undefined && sessions.size === 0) return void early.push(event)
    if (early.length > 0) for (const notice of early.splice(0)) push({ ...notice, session: event.session })
    enter(event)
    if (on.session.mode !== undefined) flushMode(on, event)
    switch (event.kind) {
      case 'session.start':
        return sessionStart(event)
      case 'session.update':
        return sessionUpdate(on, event)
      case 'session.end':
        return sessionEnd(event)
      case 'turn.start':
        return beginTurn(event, syntheticOf(event))
      case 'turn.end':
        inTurn(event)
        return turnEnd(event)
      case 'message.start':
        inTurn(event)
        return messageStart(on, event)
      case 'message.end':
        return messageEnd(on, event)
      case 'message.drop':
        return messageDrop(on, event)
      case 'text.delta':
      case 'thought.delta':
        inTurn(event)
        return delta(on, event)
      case 'text.end':
        inTurn(event)
        return textEnd(on, event)
      case 'thought.end':
        inTurn(event)
        return thoughtEnd(on, event)
      case 'content.end':
        inTurn(event)
        return contentEnd(on, event)
      case 'prompt.submit':
        return prompt(event)
      case 'tool.start':
        inTurn(event)
        return toolStart(on, event)
      case 'tool.delta':
        inTurn(event)
        return toolDelta(on, event)
      case 'tool.update':
        return toolUpdate(event)
      case 'tool.end':
        return toolEnd(on, event)
      case 'task.start':
        return taskStart(on, event)
      case 'task.update':
        return taskUpdate(on, event)
      case 'task.end':
        return taskEnd(on, event)
      case 'permission.request':
        inTurn(event)
        return permissionRequest(on, event)
      case 'permission.answer':
        return permissionAnswer(on, event)
      case 'question.request':
        inTurn(event)
        return questionRequest(on, event)
      case 'question.answer':
        return questionAnswer(on, event)
      case 'hook.start':
        return hookStart(on, event)
      case 'hook.end':
        return hookEnd(on, event)
      case 'catalog.update':
        return catalog(event)
      case 'status.update':
        return statusUpdate(on, event)
      case 'usage.update':
        return usageUpdate(on, event)
      case 'context.trim':
        return contextTrim(on, event)
      case 'retry.start':
        return retryStart(on, event)
      case 'cancel.request':
        return cancelRequest(on, event)
      case 'error':
        return error(on, event)
      case 'notice':
        return notice(on, event)
    }
  }

  function toolUpdate(event: EventOf<'tool.update'>): void {
    const call = wireId(event.call ?? '')
    const known = on.session.calls.get(call)
    if (known !== undefined && event.paths !== undefined) known.paths ??= event.paths // its result names the file
    if (event.input !== undefined && release(on, event.agent, call, event.input, event)) return
    if (event.elapsedMs === undefined) return sink.lost(event, known !== undefined && event.paths !== undefined ? 'state' : undefined)
    if (event.input !== undefined) sink.lost(event, 'input') // the call stands in the stream already
    toolProgress(on, event, call)
  }

  return {
    push,
    rest() {
      if (!endsFirst()) sink.release()
    },
    end() {
      for (const notice of early.splice(0)) sink.lost(notice)
      for (const session of sessions.values()) {
        on.session = session
        flushMode(on)
        forgetRest(session)
        while (session.openTurns > 0) writeResult(on, { reason: 'cut', at: session.lastAt }, 'cut')
      }
      sink.release()
    },
  }
}
