// Makes a script of what was said. A turn's place is how far its conversation is, as when a script is served: a retry finds the turn
// that failed, and a client that goes back begins anew from there.
import type { RawLane, RawScript, RawTurn } from './load.ts'
import type { Said } from './record-answer.ts'
import { type Identity, isAlike, isSame, whenOf } from './record-lane.ts'
import type { Conversation, Failure, Finish, Input, Usage } from './script.ts'

/** `end`: whether all of it came; `left` is a client that did not wait for it. */
export type Answered = { conversation: Conversation; provider: string; said: Said; end: 'whole' | 'cut' | 'left' }

export type Recording = {
  add(answered: Answered): void
  /** Undefined while there is nothing to tell. */
  script(): RawScript | undefined
}

type Place = { said: Said | undefined; isWhole: boolean; failure: Failure | undefined; failures: number; cuts: number }
type Talk = { identity: Identity; model: string | undefined; places: (Place | undefined)[] }

const notRecorded: RawTurn = { text: 'This turn was not recorded.' }

export function createRecording(): Recording {
  const talks: Talk[] = []

  function talkOf(conversation: Conversation): Talk {
    const { answers, prompt, system, tools } = conversation
    const known =
      talks.find(({ identity }) => isSame(identity, conversation)) ??
      (answers > 0 ? talks.findLast(({ identity }) => isAlike(identity, conversation)) : undefined)
    if (known !== undefined) return known
    const talk: Talk = { identity: { prompt, system, tools }, model: undefined, places: [] }
    talks.push(talk)
    return talk
  }

  return {
    add({ conversation, provider, said, end }) {
      const isEmpty = said.think === '' && said.text === '' && said.tools.length === 0
      if (end === 'left' && isEmpty && said.finish === undefined) return
      const talk = talkOf(conversation)
      const at = conversation.answers
      talk.places.length = Math.min(talk.places.length, at + 1)
      const before = talk.places[at] ?? { said: undefined, isWhole: false, failure: undefined, failures: 0, cuts: 0 }
      talk.places[at] = placeAfter(before, said, end, isEmpty)
      const model = `${provider}/${said.model ?? conversation.model}`
      if (said.failure === undefined && /^[^/\s]+\/\S+$/.test(model)) talk.model = model
    },
    script() {
      const main = mainOf(talks)
      if (main === undefined) return undefined
      const lanes = talks.filter((talk) => talk !== main).map((talk, index) => laneOf(talk, index, talks))
      return {
        ...(main.model !== undefined && { model: main.model }),
        ...(lanes.length > 0 && { lanes }),
        turns: turnsOf(main),
      }
    },
  }
}

function placeAfter(before: Place, said: Said, end: Answered['end'], isEmpty: boolean): Place {
  const { failure } = said
  const fresh = { said: undefined, isWhole: false, failure: undefined, failures: 0, cuts: 0 }
  if (failure !== undefined && isEmpty) {
    const base = before.isWhole ? fresh : before // the same request once more, after it had its answer
    return { ...base, failure, failures: base.failures + 1 }
  }
  if (said.finish !== undefined && end !== 'cut' && failure === undefined) return { ...before, said, isWhole: true }
  if (end === 'left') return { ...before, said, isWhole: true } // all that the client has of it
  const base = before.isWhole ? fresh : before
  return { ...base, said, cuts: base.cuts + 1 }
}

/** Side calls have one turn or no tools; agents that warm up do so before the user's conversation. */
const mainOf = (talks: readonly Talk[]): Talk | undefined =>
  talks.find(({ identity, places }) => identity.tools && places.length > 1) ?? talks.find(({ identity }) => identity.tools) ?? talks[0]

function laneOf(talk: Talk, index: number, talks: readonly Talk[]): RawLane {
  const { identity, places } = talk
  const others = talks.filter((other) => other !== talk).map((other) => other.identity)
  const recorded = places.filter((place) => place !== undefined)
  // A side call may carry the conversation of another with it, and comes again when that has gone on.
  const repeat = !identity.tools && recorded.length === 1
  const name = `${identity.tools ? 'conversation' : 'side call'} ${index + 2}`
  return { name, when: whenOf(identity, others), ...(repeat && { repeat }), turns: repeat ? recorded.map(turnOf) : turnsOf(talk) }
}

const turnsOf = ({ places }: Talk): RawTurn[] => Array.from(places, (place) => (place === undefined ? notRecorded : turnOf(place)))

function turnOf({ said, isWhole, failure, failures, cuts }: Place): RawTurn {
  return {
    ...(failure !== undefined && { error: errorOf(failure, said === undefined ? undefined : failures) }),
    ...(said !== undefined && wordsOf(said)),
    ...(cuts > 0 && { cut: isWhole ? cuts : true }),
  }
}

function errorOf({ status, message, retryAfter }: Failure, times: number | undefined): NonNullable<RawTurn['error']> {
  const wait = retryAfter === undefined ? undefined : retryAfter % 1000 === 0 ? `${retryAfter / 1000}s` : `${retryAfter}ms`
  return { status, message, ...(wait !== undefined && { retryAfter: wait }), ...(times !== undefined && { times }) }
}

function wordsOf({ think, text, tools, usage, finish, malformed }: Said): RawTurn {
  const usual: Finish = tools.length > 0 ? 'tool-calls' : 'stop'
  const isSilent = think === '' && tools.length === 0
  return {
    ...(think !== '' && { think }),
    ...((text !== '' || isSilent) && { text }),
    ...(tools.length > 0 && { tools: tools.map(({ name, input }) => (isBare(input) ? { name } : { name, input })) }),
    ...(usage !== undefined && { usage: countsOf(usage) }),
    ...(finish !== undefined && finish !== usual && { finish }),
    ...(malformed && { malformed }),
  }
}

/** A missing number is 0. */
const countsOf = (usage: Usage): Partial<Usage> => Object.fromEntries(Object.entries(usage).filter(([, count]) => count > 0))

const isBare = (input: Input): boolean => typeof input === 'object' && Object.keys(input).length === 0
