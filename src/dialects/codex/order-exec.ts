// stdout of exec: one thread, its turn, the items in it. A run after another begins with its own thread.started.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Part } from './order.ts'

const mostItems = 4096

export function createExecOrder(): Part {
  let started = false
  let turn = false
  const items = new Map<string, boolean>() // true while the item is open

  /** Forgets the items that are over; a command may outlive its turn. */
  function leave(): void {
    turn = false
    for (const [id, open] of items) if (!open) items.delete(id)
  }

  const failed = (): Rec => ({ type: 'turn.failed', error: { message: 'the stream ended before the turn did' } })

  return {
    push(record, tag, breaks) {
      switch (tag) {
        case 'thread.started':
          if (turn) breaks('missing-end', 'thread.started, but the turn before has not ended')
          started = true
          turn = false
          return items.clear()
        case 'turn.started':
          if (!started) breaks('thread-first', 'turn.started before thread.started')
          if (turn) breaks('turn-pair', 'turn.started while a turn is open')
          started = turn = true
          return
        case 'turn.completed':
        case 'turn.failed':
          if (!turn) breaks('turn-pair', `${tag}, but no turn is open`)
          return leave()
      }
      if (!tag.startsWith('item.*/')) return
      const { type } = record
      const { id } = record['item'] as { id: string }
      const open = items.get(id)
      if (!turn && open !== true && tag !== 'item.*/error') breaks('turn-first', `item ${quoted(id)} outside a turn`)
      if (type === 'item.updated') {
        if (open !== true) breaks('item-first', `${quoted(id)} is updated, but it is not open`)
        return
      }
      if (open === false || (open === true && type === 'item.started')) breaks('item-once', `${String(type)} once more for ${quoted(id)}`)
      items.delete(id)
      items.set(id, type === 'item.started')
      if (items.size > mostItems) items.delete(items.keys().next().value!)
    },
    end(breaks) {
      if (turn) breaks('missing-end', 'the stream ends inside a turn')
    },
    missing: (next, tag) => (turn && (next === undefined || tag === 'turn.started' || tag === 'thread.started') ? [failed()] : []),
  }
}
