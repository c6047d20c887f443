// What the app-server asks its host, and how our answers are said there. Each kind of question has words of its own.
import { isRecord, type Rec, stringifyJson } from '../../base/json.ts'
import { formFields } from '../../dialects/codex/decode-ask.ts'
import { decidedBy } from '../../dialects/codex/words.ts'
import type { Answer, Ask } from '../../supervise/contract.ts'
import { distinct } from '../options.ts'

/** `stops`: the answer cannot end the turn by itself, so the turn has to be interrupted. */
export type Reply = { result: Rec; stops?: boolean }

export function replyTo(method: string, params: Rec, ask: Ask, answer: Answer): Reply {
  const isAllowed = allows(ask, answer)
  const isStopped = answer.stop === true || answer.decision === 'cancelled'
  switch (method) {
    case 'execCommandApproval':
    case 'applyPatchApproval':
      return { result: { decision: isAllowed ? (answer.option ?? 'approved') : isStopped ? 'abort' : 'denied' } }
    case 'item/permissions/requestApproval':
      return { result: { permissions: isAllowed ? granted(params['permissions']) : {}, scope: 'turn' }, stops: isStopped }
    case 'item/tool/requestUserInput':
      return { result: { answers: isAllowed ? chosen(params['questions'], answer) : {} }, stops: isStopped }
    case 'mcpServer/elicitation/request': {
      const content = isAllowed ? formOf(params, answer) : undefined
      return {
        result: { action: content !== undefined ? 'accept' : isStopped ? 'cancel' : 'decline', content: content ?? null, _meta: null },
      }
    }
    default:
      return {
        result: { decision: chosenDecision(params, isAllowed, answer) ?? (isAllowed ? 'accept' : isStopped ? 'cancel' : 'decline') },
      }
  }
}

/** The one of its own decisions that somebody chose; some are more than a word. */
function chosenDecision({ availableDecisions: list }: Rec, isAllowed: boolean, { decision, option }: Answer): unknown {
  if (option === undefined || isAllowed !== (decision === 'allow')) return undefined
  if (!Array.isArray(list)) return option
  return list[distinct(list.map((one) => decidedBy(one).id)).indexOf(option)]
}

/** The questions that the stream tells; all others are refused at once. */
export const isQuestion = (method: string): boolean => questions.has(method)
const questions: ReadonlySet<string> = new Set([
  'item/commandExecution/requestApproval',
  'item/fileChange/requestApproval',
  'item/permissions/requestApproval',
  'item/tool/requestUserInput',
  'mcpServer/elicitation/request',
  'execCommandApproval',
  'applyPatchApproval',
])

/** It can only do what it asked for: a call that was changed, or whose result was made up, is one that it may not make. */
function allows({ input, questions: choices }: Ask, answer: Answer): boolean {
  if (answer.decision !== 'allow' || answer.instead !== undefined) return false
  return choices !== undefined || answer.input === undefined || stringifyJson(answer.input) === stringifyJson(input)
}

const granted = (wanted: unknown): Rec =>
  isRecord(wanted) ? Object.fromEntries(Object.entries(wanted).filter(([, part]) => part !== null)) : {}

const answersIn = ({ input }: Answer): Rec => (isRecord(input?.['answers']) ? input['answers'] : {})

/** We know a question by its text, Codex by its id. */
function chosen(list: unknown, answer: Answer): Rec {
  const answers = answersIn(answer)
  const asked = Array.isArray(list) ? (list as unknown[]).filter(isRecord) : []
  return Object.fromEntries(
    asked.flatMap(({ id, question }) => {
      const text = answers[String(question)]
      return typeof text === 'string' ? [[String(id), { answers: [text] }]] : []
    }),
  )
}

/** A server's form. One that was not filled in cannot be sent. */
function formOf(params: Rec, answer: Answer): Rec | undefined {
  const answers = answersIn(answer)
  const filled = formFields(params).flatMap(({ name, field, text }) => {
    const value = valueOf(field, answers[text])
    return value === undefined ? [] : [[name, value] as const]
  })
  const { required } = isRecord(params['requestedSchema']) ? params['requestedSchema'] : {}
  const missing = Array.isArray(required) && (required as unknown[]).some((name) => !filled.some(([one]) => one === name))
  return missing ? undefined : Object.fromEntries(filled)
}

function valueOf({ type }: Rec, text: unknown): string | number | boolean | undefined {
  if (typeof text !== 'string') return undefined
  if (type === 'boolean') return /^(true|yes)$/i.test(text)
  if (type === 'number' || type === 'integer') return Number.isNaN(Number(text)) ? undefined : Number(text)
  return text
}
