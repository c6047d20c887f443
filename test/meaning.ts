// What a stream says, whatever dialect it is told in: the text and the thoughts of its main lane, and every call.
import { stringifyJson } from '../src/base/json.ts'
import { type Event, toolFailed } from '../src/index.ts'

/** Fields of a call under the names that `tool.start` has for them, as text; `failed` is what became of it. */
export type Call = { name: string; toolKind: string; input: string; title: string | undefined; agent: string | undefined; failed: boolean }
export type Meaning = { text: string; thoughts: string; calls: Map<string, Call> }

/** Ids that were made begin with `~`; on the wire they drop it. */
const plain = (id: string): string => id.replace(/^~/, '')

/** `withdrawn`: text that was taken back counts too, as it may where nothing can be taken back. */
export function meaningOf(events: readonly Event[], withdrawn = false): Meaning {
  const calls = new Map<string, Call>()
  for (const event of events) follow(calls, event)
  return { text: spoken(events, 'text', withdrawn), thoughts: spoken(events, 'thought', withdrawn), calls }
}

function spoken(events: readonly Event[], what: 'text' | 'thought', withdrawn: boolean): string {
  let said = ''
  let open = ''
  for (const event of events) {
    if (event.agent !== undefined) continue
    if ((event.kind === 'text.delta' || event.kind === 'thought.delta') && event.kind === `${what}.delta`) open += event.text
    else if ((event.kind === 'text.end' || event.kind === 'thought.end') && event.kind === `${what}.end`) {
      said += event.text ?? open
      open = ''
    } else if (event.kind === 'message.drop') {
      if (withdrawn) said += open
      open = ''
    }
  }
  return said + open
}

function follow(calls: Map<string, Call>, event: Event): void {
  const id = plain(event.call ?? '')
  const call = calls.get(id)
  if (event.kind === 'tool.start') {
    const { name, toolKind, input, title, agent } = event
    calls.set(id, { name, toolKind, input: inputText(input), title, agent, failed: false })
  } else if (event.kind === 'tool.update' && call !== undefined) {
    call.title = event.title ?? call.title
    if (event.input !== undefined) call.input = inputText(event.input)
  } else if (event.kind === 'tool.end' && call !== undefined) {
    call.title = event.title ?? call.title
    call.failed = toolFailed(event)
  }
}

/** No input and an empty one are the same to every dialect that must write one. */
const inputText = (input: unknown): string => (input === undefined || input === null ? '{}' : stringifyJson(input))
