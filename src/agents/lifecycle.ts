// The life of a program that is an agent, as a state machine. The table says what each input does in each state; effects and timers are
// in spawned.ts.
//
//   starting ─started─▶ ready ⇄ in-turn ─all done─▶ settling ─▶ leaving ─exit─▶ left ─finished─▶ over
//                          └─cancel─▶ last-step ─▶ stopping ─▶ ending ─exit─▶ left

type Working = 'starting' | 'ready' | 'in-turn' | 'interrupting' | 'last-step' | 'settling' | 'background' | 'unanswered' | 'silent'
export type State = Working | 'leaving' | 'stopping' | 'ending' | 'left' | 'over'

/** What is known besides; it may change with each record and command. */
export type Facts = {
  /** A turn is open, or a prompt was not taken up. */
  isBusy(): boolean
  /** No more prompts will come. */
  isLast(): boolean
  /** Its input. */
  isClosed(): boolean
  /** It asked something when its input was closed, and has not gone on since. */
  isUnanswered(): boolean
  /** The turn that was cancelled is the newest. */
  isCancelledTurn(): boolean
  /** Subagents or commands run on after their turn. */
  hasTasks(): boolean
  /** The end of a task may start a turn. */
  mayGoOn(): boolean
  /** It does not leave when its input is closed: it is ended instead of waited for. */
  stays: boolean
}

/** Why we end it. `lingering`: it had nothing left to do; `went-on`: it did something all the same. */
export type Because = 'lingering' | 'went-on' | 'unheard' | 'silent' | 'unread' | 'turn-stuck' | 'dismissed'

/**
 * `activity`: a record or a command was handled. `timeout`: the time of the state is up. `interrupt`: the turn was cancelled. `cancel`: the
 * session is. `unread`: it does not read what is written to it. `again`: it is started a second time. `finished`: nobody waits for it.
 */
type Spoken = 'started' | 'activity' | 'timeout' | 'interrupt' | 'cancel-after-step' | 'cancel'
export type Input = Spoken | 'output-end' | 'unread' | 'exit' | 'again' | 'finished'

/** Back to the same state: its time starts anew. Undefined: nothing changes. */
export type Step = { to: State; because?: Because }
type Row = Partial<Record<Input, (facts: Facts) => Step | undefined>>

const to = (state: State) => (): Step => ({ to: state })
const end = (because: Because) => (): Step => ({ to: 'ending', because })
const stay = (): undefined => {}

/** Where it stands when nothing is cancelled. */
function atRest(facts: Facts): Step {
  if (facts.isUnanswered()) return { to: 'unanswered' }
  if (facts.isBusy()) return { to: 'in-turn' }
  if (!facts.isLast()) return { to: 'ready' }
  return facts.mayGoOn() && !facts.isClosed() ? { to: 'settling' } : leave(facts)
}
const leave = ({ stays, hasTasks }: Facts): Step =>
  stays ? { to: 'ending', because: 'dismissed' } : { to: hasTasks() ? 'background' : 'leaving' }

const lingered = ({ isUnanswered, isBusy }: Facts): Step => end(isUnanswered() ? 'unheard' : isBusy() ? 'went-on' : 'lingering')()

const always: Row = { exit: to('left'), finished: to('over') }
const running: Row = {
  ...always,
  activity: atRest,
  interrupt: to('interrupting'),
  'cancel-after-step': to('last-step'),
  cancel: to('stopping'),
  'output-end': to('silent'),
  unread: end('unread'),
}

const states: Record<State, Row> = {
  /** There is no program yet: what is said to it waits. */
  starting: { ...always, started: atRest, 'cancel-after-step': to('last-step'), cancel: to('stopping') },
  /** It waits for a prompt. */
  ready: running,
  'in-turn': running,
  /** Its turn was interrupted, and has to end. */
  interrupting: {
    ...running,
    activity: (facts) => (facts.isBusy() && facts.isCancelledTurn() ? undefined : atRest(facts)),
    timeout: end('turn-stuck'),
    interrupt: stay,
    'cancel-after-step': to('stopping'),
    'output-end': stay,
  },
  /** The session is cancelled, but may end its step. */
  'last-step': {
    ...running,
    activity: (facts) => (!facts.isBusy() || facts.isUnanswered() ? { to: 'stopping' } : undefined),
    interrupt: stay,
  },
  /** All is done; its input stays open for the turn that the end of a task may start. */
  settling: { ...running, timeout: leave, 'output-end': leave },
  /** All is done and its input closed; tasks of its still run. */
  background: { ...running, timeout: lingered },
  /** All is done and its input closed: it has to leave by itself. Further output does not extend the deadline. */
  leaving: {
    ...running,
    activity: (facts) => (facts.mayGoOn() && (facts.isBusy() || facts.hasTasks()) ? atRest(facts) : undefined),
    timeout: lingered,
    'output-end': stay,
  },
  /** It asked something when its input was closed. */
  unanswered: { ...running, timeout: end('unheard'), 'cancel-after-step': to('stopping') },
  /** It closed its output, and has to leave. */
  silent: {
    ...running,
    activity: (facts) => (facts.isLast() && !facts.isBusy() ? leave(facts) : undefined),
    timeout: end('silent'),
    'cancel-after-step': to('stopping'),
    'output-end': stay,
  },
  /** The session is cancelled: its turn was interrupted, its input closed. */
  stopping: {
    ...always,
    started: to('ending'),
    activity: (facts) => (facts.stays && !facts.isBusy() ? { to: 'ending' } : undefined),
    timeout: to('ending'),
  },
  /** TERM, then KILL. */
  ending: { ...always, started: to('ending') },
  /** It has exited; the last of its output is read. */
  left: { again: to('starting'), finished: to('over') },
  /** The session has its end; no input counts any more. */
  over: {},
}

export const transition = (state: State, input: Input, facts: Facts): Step | undefined => states[state][input]?.(facts)
