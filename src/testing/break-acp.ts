// Illegal changes to streams of the Agent Client Protocol. What is wrong between the sides shows only where both are heard.
import { isRecord, type Rec } from '../base/json.ts'
import type { Change } from './break.ts'

type Message = { id?: unknown; method?: string; params?: Rec; result?: Rec; error?: Rec }

const messageOf = (record: Rec): Message => (record['message'] ?? record) as Message
/** The record with another message in it. */
const again = (record: Rec, change: (message: Message) => Message): Rec =>
  isRecord(record['message']) ? { ...record, message: change(messageOf(record)) } : (change(record) as Rec)
const updateOf = (record: Rec): Rec => (messageOf(record).params?.['update'] ?? {}) as Rec
const withUpdate = (record: Rec, more: Rec): Rec =>
  again(record, (message) => ({ ...message, params: { ...message.params, update: { ...updateOf(record), ...more } } }))

const isPrompt = (record: Rec): boolean => messageOf(record).method === 'session/prompt'
const isUpdate = (record: Rec): boolean => messageOf(record).method === 'session/update'
const bothSpeak = (all: readonly Rec[]): boolean => all.some(isPrompt) && all.some(isUpdate)
const isStop = (record: Rec): boolean => messageOf(record).result?.['stopReason'] !== undefined
const endsCall = (record: Rec): boolean =>
  updateOf(record)['sessionUpdate'] === 'tool_call_update' && /^(completed|failed)$/.test(String(updateOf(record)['status'] as string))

/** An answer to a prompt, or one that looks like it where the agent alone is heard. */
function isAnswer(record: Rec, prompt: Rec | undefined): boolean {
  const { id, method, error } = messageOf(record)
  if (method !== undefined || record['from'] === 'client' || (!isStop(record) && error === undefined)) return false
  return prompt === undefined || id === messageOf(prompt).id
}

/** The last one that there is; nothing that could be taken for it follows. */
function isLastAnswer(record: Rec, index: number, all: readonly Rec[]): boolean {
  const asked = all.findLastIndex(isPrompt)
  if (asked !== -1 && !bothSpeak(all)) return false
  return index > asked && isAnswer(record, all[asked]) && !all.slice(index + 1).some((later) => isAnswer(later, all[asked]))
}

const stranger = 'never-called'

export const acpChanges: readonly Change[] = [
  ['the answer to the last prompt is missing', 'missing-end', isLastAnswer, () => []],
  ['a prompt is answered twice', 'unknown-request', (record, _, all) => isStop(record) && bothSpeak(all), (record) => [record, record]],
  [
    'no initialize',
    'init-first',
    (record, index, all) =>
      messageOf(record).method === 'initialize' && all.findIndex((other) => messageOf(other).method === 'initialize') === index,
    () => [],
  ],
  [
    'a prompt to a session that nobody named',
    'unknown-session',
    (record, _, all) => isPrompt(record) && bothSpeak(all),
    (record) => [again(record, (message) => ({ ...message, params: { ...message.params, sessionId: stranger } }))],
  ],
  ['an id that is in use', 'id-reuse', (record, _, all) => isPrompt(record) && bothSpeak(all), (record) => [record, record]],
  ['an update of no call', 'call-first', endsCall, (record) => [record, withUpdate(record, { toolCallId: stranger, status: 'completed' })]],
  ['a call that ends twice', 'end-once', endsCall, (record) => [record, record]],
  [
    'an option that was not offered',
    'known-option',
    (record, _, all) => isRecord(messageOf(record).result?.['outcome']) && bothSpeak(all),
    (record) => [again(record, (message) => ({ ...message, result: { outcome: { outcome: 'selected', optionId: stranger } } }))],
  ],
]
