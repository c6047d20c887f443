// Text and thoughts. A server tells a part when it begins, then what is added to it, then the whole once more with the time of
// its end; older servers tell the whole each time it has grown. A run tells it once, when it has ended.
import type { Pen } from '../../model/pen.ts'
import type { Messages } from './decode-message.ts'
import { type Lane, makeRoom, type OpenPart, placeOf } from './decode-state.ts'
import type { PartOf, Properties } from './wire.ts'

type Kind = OpenPart['kind']

const deltaOf = { text: 'text.delta', thought: 'thought.delta' } as const
const endOf = { text: 'text.end', thought: 'thought.end' } as const

export function createTexts(pen: Pen, messages: Messages) {
  const isStreaming = ({ agent }: Lane, kind: Kind): boolean => pen.isStreaming(deltaOf[kind], agent)

  function open(lane: Lane, key: string, kind: Kind, message: string | undefined): OpenPart {
    const known = lane.parts.get(key)
    if (known !== undefined) return known
    const place = messages.enter(lane, message)
    const part = { key, kind, message: place.message, block: lane.blocks++, told: 0 }
    makeRoom(lane.parts)
    lane.parts.set(key, part)
    return part
  }

  /** Another part of the kind begins: where the stream broke off and was begun anew, nobody will end what came before. */
  function endFormer(lane: Lane, { key, kind }: OpenPart): void {
    const former = lane.live[kind]
    if (former === undefined || former.key === key || !isStreaming(lane, kind)) return
    const { message, block } = former
    pen.emit(endOf[kind], { streamed: true }, { agent: lane.agent, message, block, synthetic: 'implied' })
  }

  function tell(lane: Lane, part: OpenPart, text: string): void {
    const { kind, message, block } = part
    const { agent } = messages.enter(lane, message)
    endFormer(lane, part)
    lane.live[kind] = part
    part.told += text.length
    pen.emit(deltaOf[kind], { text }, { agent, message, block })
  }

  function grow(lane: Lane, part: OpenPart, text: string, tag: string): void {
    const place = { agent: lane.agent, message: part.message, block: part.block }
    if (text.length < part.told) {
      messages.enter(lane, part.message)
      pen.emit('message.drop', { fromBlock: part.block, why: 'superseded' }, place)
      part.told = 0
    } else if (text.length === part.told) return pen.raw(tag, 'redundant', place)
    if (text !== '') tell(lane, part, text.slice(part.told))
  }

  return {
    /** Nearly every event of a server that streams. */
    delta(lane: Lane, { messageID, partID, field, delta }: Properties<'message.part.delta'>, tag: string): void {
      if (delta === '') return pen.raw(tag, 'redundant', placeOf(lane))
      if (field !== 'text' || lane.resting) return pen.raw(tag, 'unmapped', placeOf(lane))
      tell(lane, open(lane, partID, 'text', messageID), delta)
    },

    /** `isWhole`: it has ended, whether or not it says when. */
    push(lane: Lane, told: PartOf<'text' | 'reasoning'>, said: Kind, isWhole: boolean, tag: string): void {
      const { text, time } = told
      const key = told.id ?? said
      if (lane.resting) {
        const isKnown = text === '' || (lane.parts.get(key)?.told ?? 0) > 0
        return pen.raw(tag, isKnown ? 'redundant' : 'unmapped', placeOf(lane))
      }
      const part = open(lane, key, said, told.messageID)
      if (!isWhole && typeof time?.end !== 'number') return grow(lane, part, text, tag)
      const { kind, block } = part
      lane.parts.delete(key)
      const streamed = part.told > 0
      const place = { ...messages.enter(lane, part.message), block }
      // Something else came between: the deltas stand for it, and their end was told.
      if (streamed && !(lane.live[kind] === part && isStreaming(lane, kind))) return pen.raw(tag, 'redundant', place)
      endFormer(lane, part)
      pen.emit(endOf[kind], { text, streamed, startedAt: time?.start ?? undefined, endedAt: time?.end ?? undefined }, place)
    },
  }
}
