// What the decoder remembers: the session that the records at hand belong to, as only its first record names it, the calls of the
// open turn, and of a chat file the message that may still grow. Never text, input or output.
import type { Fault, Place, Usage } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import type { Reason } from '../../model/vocabulary.ts'
import type { Stop } from './values.ts'

export type Reader = {
  pen: Pen
  session: string | undefined
  /** Of the open turn: `over` calls stay, since a chat file tells their results twice. */
  calls: Map<string, { name: string; over: boolean }>
  /** What the program last said of an end; nothing has come since. */
  stop: Stop | undefined
  chat: Chat | undefined
}

export type Chat = {
  message: GrowingMessage | undefined
  /** The last message says something and calls nothing: its turn may be over. */
  answered: boolean
  fault: Fault | undefined
  /** Of the last turn that ended. */
  reason: Reason | undefined
  /** Ids of what the program itself told the model: the context it begins with, a summary in the place of older messages. */
  own: { context?: string | undefined; summary?: string | undefined }
}

/** A message is written again, whole, each time that something is added to it. */
export type GrowingMessage = {
  id: string | undefined
  open: boolean
  model: string | undefined
  usage: Usage | undefined
  /** How many of them were told. */
  thoughts: number
  parts: number
  hasText: boolean
  hasCalls: boolean
}

export const newReader = (pen: Pen): Reader => ({ pen, session: undefined, calls: new Map(), stop: undefined, chat: undefined })

export const newChat = (): Chat => ({
  message: undefined,
  answered: false,
  fault: undefined,
  reason: undefined,
  own: {},
})

const mostCalls = 4096

export function remember({ calls }: Reader, id: string, name: string, over: boolean): void {
  calls.set(id, { name, over })
  if (calls.size > mostCalls) calls.delete(calls.keys().next().value!)
}

/** A prompt begins the turn that is not yet open. */
export function openTurn({ pen }: Reader, place: Place = {}): void {
  if (pen.openTurns() === 0) pen.emit('turn.start', { trigger: 'prompt' }, { ...place, synthetic: 'implied' })
}
