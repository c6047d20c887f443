// One turn of a session of opencode's server: a prompt, steps of the model with their text and calls, idle. A subagent's
// session is the same, inside the call that started it.
import type { Rec } from '../base/json.ts'
import { abortError, callOf, endState, errorOf, idOf, stepFinish, tokensOf } from './opencode-parts.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import { models, objectOf, piecesOf, taskOf, textOf } from './words.ts'

type Ids = { sessionID: string; messageID: string }
/** What a turn needs of the stream around it. */
export type Telling = {
  random: Random
  plan: Plan
  now: () => number
  put(type: string, properties: Rec): void
  info(id: string, parentID?: string): Rec
  updated(id: string, parentID?: string): void
}

export function createTurns({ random, plan, now, put, info, updated }: Telling) {
  const { tools, failures, extras, deltas } = plan
  const status = (sessionID: string, type: string, more: Rec = {}): void => put('session.status', { sessionID, status: { type, ...more } })
  const tell = (ids: Ids, type: string, fields: Rec, id = idOf('prt', now(), random)): void =>
    put('message.part.updated', { sessionID: ids.sessionID, part: { id, ...ids, type, ...fields }, time: now() })

  // ── the user ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  function prompt(sessionID: string): string {
    const id = idOf('msg', now(), random)
    const ids = { sessionID, messageID: id }
    put('message.updated', { sessionID, info: { id, role: 'user', sessionID, time: { created: now() }, agent: 'build' } })
    tell(ids, 'text', { text: textOf(random), ...(random.chance(0.2) ? { synthetic: true } : {}) })
    if (!extras) return id
    if (random.chance(0.2)) tell(ids, 'file', { mime: 'text/plain', filename: 'ü.txt', url: 'file:///home/dev/%C3%BC.txt' })
    if (random.chance(0.2)) tell(ids, 'agent', { name: 'explore' })
    if (random.chance(0.2)) tell(ids, 'subtask', { prompt: textOf(random), description: 'Research', agent: 'general' })
    if (random.chance(0.2)) tell(ids, 'compaction', { auto: random.chance(0.5) })
    return id
  }

  // ── text ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function spoken(ids: Ids, type: 'text' | 'reasoning', ends = true): void {
    const id = idOf('prt', now(), random)
    const text = textOf(random)
    const start = now()
    const grown = (told: string, time: Rec): void => tell(ids, type, { text: told, time }, id)
    if (deltas || random.chance(0.9)) grown('', { start })
    let told = ''
    for (const piece of deltas ? piecesOf(text, random) : []) {
      told += piece
      // Older servers tell the whole text each time.
      if (extras && random.chance(0.2)) grown(told, { start })
      else put('message.part.delta', { ...ids, partID: id, field: 'text', delta: piece })
    }
    if (ends) grown(text, { start, end: now() })
  }

  // ── tools ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function ask(sessionID: string, callID: string, messageID: string, permission: string, reply: string): void {
    const id = idOf('per', now(), random)
    if (extras && random.chance(0.3)) {
      put('permission.updated', { id, type: permission, pattern: '*', sessionID, messageID, callID, title: textOf(random), metadata: {} })
      return put('permission.replied', { sessionID, permissionID: id, response: reply })
    }
    put('permission.asked', {
      id,
      sessionID,
      permission,
      patterns: ['*'],
      metadata: objectOf(random, 1),
      always: ['*'],
      tool: { messageID, callID },
    })
    put('permission.replied', { sessionID, requestID: id, reply })
  }

  function question(sessionID: string): void {
    const id = idOf('que', now(), random)
    const questions = random.some(1, 2, () => ({ question: textOf(random), header: 'Which', options: [{ label: 'a', description: 'b' }] }))
    put('question.asked', { id, sessionID, questions })
    if (random.chance(0.5)) put('question.replied', { sessionID, requestID: id, answers: questions.map(() => ['a', 'ü']) })
    else put('question.rejected', { sessionID, requestID: id })
  }

  /** True if somebody said no: the session then stops. */
  function call(ids: Ids, depth: number): boolean {
    const isTask = depth < 2 && random.chance(0.2)
    const made = isTask ? { name: 'task', input: taskOf(random) } : callOf(random, failures)
    const id = idOf('prt', now(), random)
    const callID = `call_${random.hex(8)}`
    const start = now()
    const state = (fields: Rec): void => tell(ids, 'tool', { tool: made.name, callID, state: fields }, id)
    const running = { status: 'running', input: made.input, time: { start } }
    const refused = failures && random.chance(0.1)
    if (random.chance(0.9)) state({ status: 'pending', input: {}, raw: '' })
    const isKnown = refused || !isTask || random.chance(0.5)
    if (isKnown) state(running)
    if (refused || (isKnown && random.chance(0.3)))
      ask(ids.sessionID, callID, ids.messageID, made.name, refused ? 'reject' : random.pick(['once', 'always']))
    if (isTask && !refused)
      subagent(ids.sessionID, depth, (child) => state({ ...running, title: 'Research', metadata: { sessionId: child } }))
    if (made.name === 'bash' && !refused)
      for (let count = random.int(0, 2); count > 0; count--) state({ ...running, metadata: { output: textOf(random) } })
    if (extras && random.chance(0.2)) question(ids.sessionID)
    state(endState(made, start, failures, refused, random))
    if (made.name === 'todowrite')
      put('todo.updated', { sessionID: ids.sessionID, todos: [{ content: textOf(random), status: 'in_progress', priority: 'high' }] })
    return refused
  }

  function subagent(parentID: string, depth: number, running: (child: string) => void): void {
    const child = idOf('ses', now(), random)
    put('session.created', { sessionID: child, info: info(child, parentID) })
    running(child)
    play(child, parentID, depth + 1)
  }

  // ── the model ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function message(ids: Ids, parentID: string, over: Rec): void {
    const { sessionID, messageID: id } = ids
    const time = { created: now(), ...(Object.keys(over).length === 0 ? {} : { completed: now() }) }
    put('message.updated', {
      sessionID,
      info: {
        id,
        parentID,
        role: 'assistant',
        agent: 'build',
        cost: 0,
        tokens: tokensOf(random),
        modelID: models[1],
        providerID: 'mock',
        time,
        sessionID,
        ...over,
      },
    })
  }

  /** True if the session stops here. */
  function step(sessionID: string, parentID: string, last: boolean, depth: number): boolean {
    const ids = { sessionID, messageID: idOf('msg', now(), random) }
    const acts = tools && !last
    message(ids, parentID, {})
    status(sessionID, 'busy')
    for (let attempt = 1, tries = failures ? random.int(0, 2) : 0; attempt <= tries; attempt++) {
      status(sessionID, 'retry', { attempt, message: 'Overloaded', next: now() + 2000 })
      if (extras && random.chance(0.5)) tell(ids, 'retry', { attempt, error: errorOf(random), time: { created: now() } })
    }
    tell(ids, 'step-start', extras ? { snapshot: random.hex(40) } : {})
    if (extras && random.chance(0.2)) tell(ids, 'snapshot', { snapshot: random.hex(40) })
    if (random.chance(0.3)) spoken(ids, 'reasoning')
    if (!acts || random.chance(0.5)) spoken(ids, 'text')
    let refused = false
    if (acts) for (let calls = random.int(1, 3); calls > 0; calls--) refused = call(ids, depth) || refused
    if (extras && random.chance(0.2)) tell(ids, 'file', { mime: 'image/png', url: 'data:image/png;base64,AA==' })
    const reason = acts ? 'tool-calls' : random.chance(0.9) ? 'stop' : 'length'
    tell(ids, 'step-finish', stepFinish(reason, random))
    if (extras && random.chance(0.3)) tell(ids, 'patch', { hash: random.hex(40), files: ['/home/dev/a b/ü.txt'] })
    message(ids, parentID, { finish: reason })
    return refused
  }

  /** An error, or somebody's abort: idle is told before the last of the message. */
  function breakOff(sessionID: string, parentID: string): void {
    const ids = { sessionID, messageID: idOf('msg', now(), random) }
    const error = random.chance(0.5) ? abortError : errorOf(random)
    message(ids, parentID, {})
    status(sessionID, 'busy')
    const id = idOf('prt', now(), random)
    const callID = `call_${random.hex(8)}`
    const cut = { tool: 'bash', callID }
    const isCalling = random.chance(0.5)
    tell(ids, 'step-start', {})
    if (random.chance(0.5)) spoken(ids, 'text', random.chance(0.5))
    if (isCalling) tell(ids, 'tool', { ...cut, state: { status: 'running', input: { command: 'sleep 9' }, time: { start: now() } } }, id)
    put('session.error', { sessionID, error })
    status(sessionID, 'idle')
    put('session.idle', { sessionID })
    if (isCalling)
      tell(
        ids,
        'tool',
        {
          ...cut,
          state: { status: 'error', input: { command: 'sleep 9' }, error: 'Tool execution aborted', time: { start: now(), end: now() } },
        },
        id,
      )
    message(ids, parentID, { error })
  }

  function play(sessionID: string, parent?: string, depth = 0): void {
    const user = prompt(sessionID)
    status(sessionID, 'busy')
    const steps = tools ? random.int(1, 3) : 1
    let stops = false
    for (let at = 1; at <= steps && !stops; at++) stops = step(sessionID, user, at === steps, depth)
    if (extras && random.chance(0.1)) put('session.compacted', { sessionID })
    if (extras && random.chance(0.1)) put('command.executed', { name: 'init', sessionID, arguments: textOf(random), messageID: user })
    if (failures && !stops && random.chance(0.3)) breakOff(sessionID, user)
    status(sessionID, 'idle')
    put('session.idle', { sessionID })
    updated(sessionID, parent)
    put('session.diff', {
      sessionID,
      diff: random.chance(0.5) ? [] : [{ file: 'ü.txt', patch: textOf(random), additions: 1, deletions: 0, status: 'added' }],
    })
    put('message.updated', { sessionID, info: { id: user, role: 'user', sessionID, time: { created: now() }, summary: { diffs: [] } } })
  }

  return { play }
}
