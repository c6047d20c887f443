// Calls that leave no item: a tool that does not exist, a patch that does not fit, a command that fails at once. A host that asked for raw
// items sees them there alone, first the call and then its answer; of all other calls they tell nothing new.
import { isRecord, type Rec } from '../../base/json.ts'
import { readers } from './decode-rollout.ts'
import { beginAnswer } from './decode-item.ts'
import { echo, most, put, type Reader } from './decode-state.ts'

type Read = (on: Reader, item: Rec) => void
const calls = new Map<unknown, Read>(
  (['function_call', 'custom_tool_call'] as const).map((type) => [type, readers[`response_item/${type}`] as unknown as Read]),
)
const answers = new Map<unknown, Read>(
  (['function_call_output', 'custom_tool_call_output'] as const).map((type) => [type, readers[`response_item/${type}`] as unknown as Read]),
)

export function rawItem(on: Reader, { item }: Rec): void {
  const { hidden } = on.thread
  on.thread.hasAnswers = true
  if (!isRecord(item) || typeof item['call_id'] !== 'string') return echo(on)
  const { type, call_id: call } = item
  if (calls.has(type) && typeof item['name'] === 'string' && !on.pen.isOpen(call)) put(hidden, call, item, most.hidden)
  const told = hidden.get(call)
  const read = answers.get(type)
  if (read === undefined || told === undefined || !isAnswer(item['output'])) return echo(on)
  hidden.delete(call)
  beginAnswer(on, call)
  calls.get(told['type'])!(on, told)
  read(on, item)
}

const isAnswer = (output: unknown): boolean => typeof output === 'string' || Array.isArray(output) || isRecord(output)
