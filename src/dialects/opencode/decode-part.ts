// Parts of a message → events. A run and a server tell the same parts; those of a user's message are prompts.
import type { Pen } from '../../model/pen.ts'
import { faultOfError } from './decode-fields.ts'
import type { Messages } from './decode-message.ts'
import { type Lane, makeRoom, type OpenCall, placeOf } from './decode-state.ts'
import { createTexts } from './decode-text.ts'
import { createTools } from './decode-tool.ts'
import type { PartOf, PartType } from './wire.ts'

type AnyPart = { id?: string | undefined; messageID?: string | undefined }
type Prompt = AnyPart & { synthetic?: unknown; auto?: unknown }

export function createParts(pen: Pen, messages: Messages, onChild: (lane: Lane, child: string, by: OpenCall) => void) {
  const texts = createTexts(pen, messages)
  const tools = createTools(pen, messages, onChild)

  /** The program writes messages of the user too, to ask for a summary or to go on after one. */
  function prompt(lane: Lane, part: Prompt, type: PartType, text: string | undefined, tag: string): void {
    const place = { agent: lane.agent, message: part.messageID }
    if (part.id !== undefined) {
      if (lane.done.has(part.id)) return pen.raw(tag, 'redundant', place)
      makeRoom(lane.done)
      lane.done.add(part.id)
    }
    if (type === 'compaction') lane.trigger = part.auto === true ? 'auto' : 'manual'
    const by = part.synthetic === true || type === 'compaction' ? 'system' : lane.agent === undefined ? 'user' : 'agent'
    pen.emit('prompt.submit', { text, content: text === undefined ? [part] : undefined, by, state: 'seen' }, place)
  }

  function file(lane: Lane, { mime, url, messageID }: PartOf<'file'>, tag: string): void {
    if (lane.resting) return pen.raw(tag, 'unmapped', placeOf(lane))
    pen.emit('content.end', { type: 'file', mime: mime ?? undefined, uri: url ?? undefined }, messages.enter(lane, messageID))
  }

  function retry(lane: Lane, { attempt, error }: PartOf<'retry'>, tag: string): void {
    if (attempt === lane.attempt || !Number.isSafeInteger(attempt) || attempt < 0) return pen.raw(tag, 'redundant', placeOf(lane))
    lane.attempt = attempt
    pen.emit('retry.start', { scope: 'model', attempt, error: faultOfError(error) }, placeOf(lane))
  }

  return {
    delta: texts.delta,

    /** `isWhole`: told once, when it has ended, as a run does. */
    push(lane: Lane, type: PartType, part: AnyPart, isWhole: boolean, tag: string): void {
      const isPrompt = part.messageID !== undefined && lane.userMessages.has(part.messageID)
      switch (type) {
        case 'text': {
          const said = part as PartOf<'text'>
          if (isPrompt || said.synthetic === true) return prompt(lane, said, type, said.text, tag)
          return texts.push(lane, said, 'text', isWhole, tag)
        }
        case 'reasoning':
          return texts.push(lane, part as PartOf<'reasoning'>, 'thought', isWhole, tag)
        case 'tool':
          return tools.push(lane, part as PartOf<'tool'>, tag)
        case 'step-start':
          return messages.stepStart(lane, part.messageID, tag)
        case 'step-finish':
          return lane.resting ? pen.raw(tag, 'unmapped', placeOf(lane)) : messages.stepFinish(lane, part as PartOf<'step-finish'>)
        case 'file':
          return isPrompt ? prompt(lane, part, type, undefined, tag) : file(lane, part as PartOf<'file'>, tag)
        case 'patch': {
          const changes = (part as PartOf<'patch'>).files.map((path) => ({ path, change: 'update' as const }))
          return pen.emit('file.update', { changes }, placeOf(lane))
        }
        case 'retry':
          return retry(lane, part as PartOf<'retry'>, tag)
        case 'subtask':
          return prompt(lane, part, type, (part as PartOf<'subtask'>).prompt ?? undefined, tag)
        case 'compaction':
        case 'agent':
          return prompt(lane, part, type, undefined, tag)
        case 'snapshot':
          return pen.raw(tag, 'unmapped', placeOf(lane))
      }
    },
  }
}
