// Permissions and questions of a server. Who answers is whoever holds the connection: the host.
import type { Pen } from '../../model/pen.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import { permissionOptions } from './decode-fields.ts'
import { type Lane, makeRoom, placeOf } from './decode-state.ts'
import type { Properties } from './wire.ts'

type Answered = { requestID?: string | undefined; permissionID?: string | undefined }
type Ask = { id: string; callID: string | null | undefined; permission: string | null | undefined; patterns: string[] | undefined }

export function createAsks(pen: Pen) {
  /** Remembers the question; undefined when it is open already. */
  function open(lane: Lane, id: string, callID: string | null | undefined, texts: string[], tag: string) {
    if (pen.isAsked(id)) return pen.raw(tag, 'redundant', placeOf(lane))
    const call = typeof callID === 'string' ? lane.calls.get(callID) : undefined
    makeRoom(lane.asked)
    lane.asked.set(id, { call: call?.call, texts })
    return { name: call?.name, place: { agent: lane.agent, call: call?.call } }
  }

  function ask(
    lane: Lane,
    { id, callID, permission, patterns }: Ask,
    rest: { input: unknown; question?: string; suggestions?: unknown[] },
  ): void {
    const asked = open(lane, id, callID, [], 'permission.asked')
    if (asked === undefined) return
    const { name, place } = asked
    const subject = { name, toolKind: name === undefined ? undefined : toolKindOf(name), permission: permission ?? undefined, patterns }
    pen.emit('permission.request', { id, ...subject, options: permissionOptions(), ...rest }, place)
  }

  /** The question that is answered; undefined when nobody has seen it asked. */
  function close(lane: Lane, { requestID, permissionID }: Answered, tag: string) {
    const id = requestID ?? permissionID
    if (id === undefined || !pen.isAsked(id)) return pen.raw(tag, 'unmapped', placeOf(lane))
    const { call, texts = [] } = lane.asked.get(id) ?? {}
    lane.asked.delete(id)
    return { id, texts, place: { agent: lane.agent, call } }
  }

  return {
    asked({ id, permission, patterns, metadata: input, always, tool }: Properties<'permission.asked'>, lane: Lane): void {
      const rest = { input, ...(always === undefined || always === null ? {} : { suggestions: always }) }
      ask(lane, { id, callID: tool?.callID, permission, patterns: patterns ?? undefined }, rest)
    },

    /** The older form of the question. */
    updated({ id, type: permission, pattern, callID, title, metadata: input }: Properties<'permission.updated'>, lane: Lane): void {
      const patterns = [pattern].flat().filter(isText)
      const rest = { input, ...(typeof title === 'string' ? { question: title } : {}) }
      ask(lane, { id, callID, permission, patterns: patterns.length === 0 ? undefined : patterns }, rest)
    },

    replied(told: Properties<'permission.replied'>, lane: Lane): void {
      const answered = close(lane, told, 'permission.replied')
      if (answered === undefined) return
      const { id, place } = answered
      const option = told.reply ?? told.response ?? undefined
      const decision = option === 'once' || option === 'always' ? 'allow' : 'reject'
      pen.emit('permission.answer', { id, decision, option, scope: option === 'always' ? 'always' : 'once', by: 'host' }, place)
    },

    question({ id, questions, tool }: Properties<'question.asked'>, lane: Lane): void {
      const texts = questions.map(({ question }) => question)
      const asked = open(lane, id, tool?.callID, texts, 'question.asked')
      if (asked === undefined) return
      const told = questions.map(({ question: text, header, options, multiple }) => ({
        text,
        header: header ?? undefined,
        options: (options ?? []).map(({ label, description }) => ({ label, description: description ?? undefined })),
        many: multiple === true ? true : undefined,
      }))
      pen.emit('question.request', { id, questions: told }, asked.place)
    },

    answered(told: Properties<'question.replied'>, lane: Lane): void {
      const answered = close(lane, told, 'question.replied')
      if (answered === undefined) return
      const { id, texts, place } = answered
      const chosen = told.answers ?? []
      const labels = (choice: unknown): string => [choice].flat().filter(isText).join(', ')
      const answers = Object.fromEntries(texts.map((text, index) => [text, labels(chosen[index])]))
      pen.emit('question.answer', { id, decision: 'allow', answers, by: 'host' }, place)
    },

    rejected(told: Properties<'question.rejected'>, lane: Lane): void {
      const answered = close(lane, told, 'question.rejected')
      if (answered === undefined) return
      pen.emit('question.answer', { id: answered.id, decision: 'reject', by: 'host' }, answered.place)
    },
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
