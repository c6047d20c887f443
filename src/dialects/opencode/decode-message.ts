// Messages of the model: one step is one call of it. A message may take several steps, and a step several tries.
import type { Place } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { stepFinished, stepStarted } from './course.ts'
import { costOf, faultOfError, finishOf, usageOf } from './decode-fields.ts'
import type { Lane } from './decode-state.ts'
import type { PartOf } from './wire.ts'

type Ending = { finish?: Reason | undefined; error?: unknown } & Pick<PartOf<'step-finish'>, 'tokens' | 'cost'>

export function createMessages(pen: Pen) {
  function start(lane: Lane, id = `~m${++lane.unnamed}`, synthetic?: 'implied'): Place {
    if (id !== lane.message) {
      lane.message = id
      lane.blocks = 0
      lane.parts.clear()
      lane.done.clear()
    }
    lane.resting = false
    const place = { agent: lane.agent, message: id }
    pen.emit('message.start', { model: lane.model, provider: lane.provider }, { ...place, synthetic })
    return place
  }

  /** Where content of the message stands; one that no step has begun is begun by its first part. */
  function enter(lane: Lane, id: string | undefined): Place {
    const open = pen.openMessage(lane.agent)
    if (open === undefined || (id !== undefined && id !== open.message)) return start(lane, id, 'implied')
    return { agent: lane.agent, message: open.message }
  }

  function end({ model, provider, agentName }: Lane, place: Place, { finish, tokens, cost, error }: Ending): void {
    const usage = usageOf(tokens)
    const usageFinal = usage === undefined ? undefined : true
    const fault = error === undefined || error === null ? undefined : faultOfError(error)
    const how = fault === undefined ? finish : fault.category === 'cancelled' ? 'cancelled' : 'error'
    pen.emit('message.end', { finish: how, model, provider, agentName, usage, usageFinal, cost: costOf(cost), error: fault }, place)
  }

  return {
    enter,
    end,

    stepStart(lane: Lane, id: string | undefined, tag: string): void {
      stepStarted(lane.course)
      lane.refusedCalls = []
      const open = pen.openMessage(lane.agent)
      // Another try, after the stream of the first broke off.
      if (open !== undefined && open.message === id) return pen.raw(tag, 'redundant', { agent: lane.agent, message: id })
      start(lane, id)
    },

    stepFinish(lane: Lane, { messageID, reason, tokens, cost }: PartOf<'step-finish'>): void {
      const place = enter(lane, messageID)
      const finish = finishOf(reason)
      stepFinished(lane.course, finish)
      end(lane, place, { finish, tokens, cost })
    },
  }
}

export type Messages = ReturnType<typeof createMessages>
