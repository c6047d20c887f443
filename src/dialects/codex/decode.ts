// Codex → events. Three forms, told apart per record: stdout of exec, messages of the app-server (of either side or both), and rollout
// files. Each record type has one function; what is not listed here is kept as raw.
import { timeOfIso } from '../../base/time.ts'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Origin } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import type { DecoderBody } from '../contract.ts'
import { real, str } from '../values.ts'
import { readers as eventReaders } from './decode-event.ts'
import { item as execItem, readers as execReaders } from './decode-exec.ts'
import { rawItem } from './decode-hidden.ts'
import { called, readers as hostReaders, response, responseError, unreadableError } from './decode-host.ts'
import { endFile, readers as rolloutReaders } from './decode-rollout.ts'
import { item as serverItem, readers as serverReaders, unreadableTurn } from './decode-server.ts'
import { enter, newThread, pass, type Reader, type Thread, threadAt } from './decode-state.ts'
import { otherEvents, otherMethods, otherResponses } from './names.ts'
import { formOf, known, messageOf, ownTag } from './tag.ts'

/** `body`: what the record is about; `record`: all of it. The check of its tag has passed, so it is what its reader takes. */
type Read = (on: Reader, body: Rec, record: Rec) => void

const each = (prefix: string, read: Read): object =>
  Object.fromEntries(known.filter((tag) => tag.startsWith(prefix)).map((tag) => [tag, read]))

const readers = new Map<string, Read>(
  Object.entries({
    ...execReaders,
    ...each('item.*/', execItem),
    ...serverReaders,
    ...hostReaders,
    ...each('item/*/', serverItem),
    response: answer(response),
    'response/error': answer(responseError),
    ...rolloutReaders,
    ...eventReaders,
  }) as [string, Read][],
)

/** An answer is all of its record. */
function answer<Record>(read: (on: Reader, record: Record) => void): Read {
  return (on, _body, record) => read(on, record as Record)
}

function passedOn(on: Reader, body: Rec, { method, type }: Rec): void {
  const name = str(method) ?? str(body['type']) ?? String(type)
  if (name === 'rawResponseItem/completed') return rawItem(on, body)
  const echoed = name.startsWith('codex/event/') ? 'codex/event' : name
  const why = otherMethods.get(echoed) ?? otherEvents.get(echoed) ?? otherResponses.get(echoed) ?? 'unmapped'
  pass(on, name, why)
}

export function decode(pen: Pen): DecoderBody {
  const nowhere = newThread(undefined)
  const on: Reader = {
    pen,
    origin: undefined as never, // of the record being read, like the next four
    tag: '',
    from: undefined,
    at: undefined,
    thread: nowhere,
    current: nowhere,
    threads: new Map(),
    asks: new Map(),
    calls: new Map(),
    wanted: {},
  }

  /** The thread that a message names, by its own id or by that of its open turn. */
  function threadOf({ threadId, conversationId, thread, turnId }: Rec): Thread {
    const id = str(threadId) ?? str(conversationId) ?? (isRecord(thread) ? str(thread['id']) : undefined)
    if (id !== undefined) return threadAt(on, id)
    if (typeof turnId === 'string') for (const known of on.threads.values()) if (known.turn === turnId) return known
    return nowhere
  }

  /** Whose turn a record can only mean that does not say so. */
  function openRoot(): Thread | undefined {
    for (const thread of on.threads.values()) if (thread.lane === undefined && thread.turn !== undefined) return thread
    return undefined
  }

  function begin(record: Rec, tag: string, own: string, origin: Origin): void {
    on.origin = origin
    on.from = own === tag ? origin.from : record['from'] === 'agent' || record['from'] === 'server' ? 'agent' : 'host'
  }

  function push(message: Rec, tag: string): void {
    const read = readers.get(tag) ?? passedOn
    const form = formOf(tag)
    on.tag = tag
    if (form === 'exec') {
      on.at = undefined
      enter(on, on.current)
      return read(on, message, message)
    }
    if (form === 'rollout') {
      const payload = message['payload'] as Rec
      on.at = timeOfIso(message['timestamp'])
      enter(on, on.current)
      return read(on, payload, message)
    }
    const { params } = message
    const body = isRecord(params) ? params : {}
    on.at = real(message['emittedAtMs']) ?? real(body['startedAtMs'])
    enter(on, threadOf(body))
    if (tag === 'message' || Object.hasOwn(hostReaders, tag)) called(on, message)
    read(on, body, message)
  }

  return {
    push(record, tag, origin) {
      const own = ownTag(tag)
      begin(record, tag, own, origin)
      push(messageOf(record, tag), own)
    },
    bad(record, tag, origin) {
      const own = ownTag(tag)
      const message = messageOf(record, tag)
      begin(record, tag, own, origin)
      on.tag = own
      on.at = undefined
      if (own === 'response/error') unreadableError(on, message)
      if (own !== 'turn/completed') return
      const { params } = message
      const named = isRecord(params) ? threadOf(params) : nowhere
      unreadableTurn(on, named === nowhere ? openRoot() : named, message)
    },
    end() {
      on.at = pen.lastAt()
      enter(on, on.current)
      endFile(on)
    },
  }
}
