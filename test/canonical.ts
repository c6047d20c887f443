// The canonical order, judged from the model's rules alone: what every reader may rely on, whatever was read.
import type { Event } from '../src/index.ts'

type Lane = { message: string | undefined; open: boolean; blocks: Map<string, Event> }
type State = {
  ended: boolean
  turns: number[]
  turnCount: number
  calls: Map<string, Event>
  asks: Set<string>
  answered: Set<string>
  hooks: Set<string>
  tasks: Set<string>
  pastTasks: Set<string>
  lanes: Map<string | undefined, Lane>
}

const late: ReadonlySet<string> = new Set(['usage.update', 'notice', 'raw', 'issue'])
const runLevel: ReadonlySet<string> = new Set(['run.start', 'run.end', 'phase.start', 'phase.end'])
const inTurn = /^(message|text|thought|content|tool|permission\.request|question)\b/
const unasked: ReadonlySet<string> = new Set(['rule', 'mode', 'hook', 'headless'])

/** One line for each rule that is broken. `ownDialect`: read from canonical events, which need no other origin. */
export function breachesOf(events: readonly Event[], ownDialect = false): string[] {
  const found: string[] = []
  const sessions = new Map<string | undefined, State>()
  const past = new Set<number>()
  let record: number | undefined
  let seq = 0

  for (const event of events) {
    const breaks = (text: string): void => void found.push(`${event.seq} ${event.kind}: ${text}`)
    if (event.seq !== ++seq) breaks(`seq is not ${seq}`)
    const from = event.origin?.record
    if (from !== record && from !== undefined && past.has(from)) breaks(`events of record ${from} do not stand together`)
    if (record !== undefined && from !== record) past.add(record)
    record = from
    if (from === undefined && event.synthetic === undefined && !ownDialect) breaks('neither origin nor synthetic')
    if (runLevel.has(event.kind)) continue
    step(sessions, event, breaks)
  }
  for (const [id, { ended }] of sessions) if (!ended) found.push(`session ${id} has no end`)
  return found
}

function step(sessions: Map<string | undefined, State>, event: Event, breaks: (text: string) => void): void {
  const state = sessions.get(event.session)
  if (event.kind === 'session.start') {
    if (state?.ended === false) breaks('a second start')
    if (state?.ended === true && event.how !== 'resumed' && event.how !== 'forked')
      breaks('a start after the end that does not say resumed')
    sessions.set(event.session, {
      ended: false,
      turns: [],
      turnCount: state?.turnCount ?? 0,
      calls: new Map(),
      asks: new Set(),
      answered: new Set(),
      hooks: new Set(),
      tasks: new Set(),
      pastTasks: new Set(),
      lanes: new Map(),
    })
    return
  }
  if (state === undefined || state.ended) {
    const floats = event.kind === 'retry.start' && event.session === undefined // a run is tried again, not a session
    if (!late.has(event.kind) && !floats) breaks(state === undefined ? 'before session.start' : 'after session.end')
    return
  }
  if (inTurn.test(event.kind) && event.turn === undefined) breaks('no turn')
  inLane(state, event, breaks)
  paired(state, event, breaks)
}

/** Messages and blocks of the event's lane. */
function inLane(state: State, event: Event, breaks: (text: string) => void): void {
  let lane = state.lanes.get(event.agent)
  if (lane === undefined) state.lanes.set(event.agent, (lane = { message: undefined, open: false, blocks: new Map() }))
  const key = `${event.message} ${event.block}`
  if (event.agent !== undefined && !state.tasks.has(event.agent) && !state.pastTasks.has(event.agent))
    breaks(`lane ${event.agent} has no task.start`)
  switch (event.kind) {
    case 'message.start':
      if (lane.open) breaks('while a message is open')
      lane.open = true
      lane.message = event.message
      return
    case 'message.end':
      if (!lane.open) breaks('no message is open')
      if (lane.blocks.size > 0) breaks('while a streamed block is open')
      lane.open = false
      return
    case 'message.drop':
      lane.blocks.clear()
      return
    case 'text.delta':
    case 'thought.delta':
      lane.blocks.set(`${event.kind[1]} ${key}`, event)
      break
    case 'text.end':
    case 'thought.end': {
      const streamed = lane.blocks.delete(`${event.kind[1]} ${key}`)
      if (streamed !== event.streamed)
        breaks(streamed ? 'streamed is false, but deltas were told' : 'streamed is true, but no delta was told')
      if (!streamed && event.text === undefined && !('redacted' in event && event.redacted === true)) breaks('neither deltas nor text')
      break
    }
    default:
      return
  }
  if (lane.open && event.message !== undefined && lane.message !== undefined && event.message !== lane.message)
    breaks(`message ${event.message} while ${lane.message} is open`)
}

/** Everything that starts ends once. */
function paired(state: State, event: Event, breaks: (text: string) => void): void {
  switch (event.kind) {
    case 'turn.start':
      if (event.turn !== ++state.turnCount) breaks(`turn ${event.turn} is not ${state.turnCount}`)
      state.turns.push(state.turnCount)
      return
    case 'turn.end':
      if (state.turns.shift() !== event.turn) breaks(`turn ${event.turn} is not the oldest that is open`)
      return
    case 'tool.start':
      if (event.call === undefined) breaks('no call')
      else if (state.calls.has(event.call)) breaks(`call ${event.call} is open already`)
      else state.calls.set(event.call, event)
      return
    case 'tool.delta':
    case 'tool.update':
    case 'tool.end':
      if (event.call === undefined || !state.calls.has(event.call)) breaks(`call ${event.call} is not open`)
      else if (event.kind === 'tool.end') state.calls.delete(event.call)
      return
    case 'permission.request':
    case 'question.request':
      if (state.asks.has(event.id)) breaks(`request ${event.id} is open already`)
      state.asks.add(event.id)
      return
    case 'permission.answer':
    case 'question.answer':
      if (event.id === undefined ? !unasked.has(event.by) : !state.asks.delete(event.id))
        breaks(`an answer by ${event.by} to ${event.id}, which is not open`)
      return
    case 'hook.start':
      if (state.hooks.has(event.id)) breaks(`hook ${event.id} is open already`)
      state.hooks.add(event.id)
      return
    case 'hook.end':
      if (!state.hooks.delete(event.id)) breaks(`hook ${event.id} is not open`)
      return
    case 'task.start':
      if (state.tasks.has(event.task)) breaks(`task ${event.task} is open already`)
      state.tasks.add(event.task)
      return
    case 'task.update':
      if (!state.tasks.has(event.task)) breaks(`task ${event.task} is not open`)
      return
    case 'task.end':
      if (!state.tasks.delete(event.task)) breaks(`task ${event.task} is not open`)
      state.pastTasks.add(event.task)
      return
    case 'session.end': {
      const open = [...state.calls.keys(), ...state.asks, ...state.hooks, ...state.tasks, ...state.turns.map((turn) => `turn ${turn}`)]
      const lanes = [...state.lanes]
        .filter(([, lane]) => lane.open || lane.blocks.size > 0)
        .map(([lane]) => `message or block of lane ${lane}`)
      if (open.length + lanes.length > 0) breaks(`open: ${[...open, ...lanes].join(', ')}`)
      state.ended = true
    }
  }
}
