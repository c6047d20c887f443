// A call that was refused, and that the agent reports as made. Nobody can hold back a program that acts without asking, or in spite of the
// answer; but the stream says so.
import { quoted } from '../base/text.ts'
import type { Event } from '../model/event.ts'
import type { Policy, PolicyAction } from './policy.ts'

const mostKept = 1000 // calls that were refused and have no result yet
const nothing: readonly PolicyAction[] = []

export function createDefiance(): Policy {
  const refused = new Map<string, string | undefined>() // to the names of their tools
  const keyOf = ({ session, call }: Event): string => `${session ?? ''}\0${call ?? ''}`

  function remember(key: string, name: string | undefined): void {
    refused.set(key, name)
    if (refused.size > mostKept) refused.delete(refused.keys().next().value!)
  }

  return {
    deaf: true,
    step(event) {
      if (event.call === undefined || (event.kind !== 'permission.answer' && refused.size === 0)) return nothing
      const key = keyOf(event)
      if (event.kind === 'permission.answer') {
        if (event.decision === 'allow') refused.delete(key)
        else remember(key, event.name)
      }
      if (event.kind !== 'tool.end' || !refused.has(key)) return nothing
      const name = refused.get(key)
      refused.delete(key)
      return event.status === 'ok' ? [told(name)] : nothing
    },
  }
}

const told = (name: string | undefined): PolicyAction => ({
  type: 'notice',
  notice: {
    level: 'warn',
    code: 'made-in-spite',
    text: `the agent reports a call of ${quoted(name ?? 'a tool')} as made that was refused; look at what it did`,
  },
})
