// What the agent orders for the work as a whole, by markers in its text. An abort ends the run as blocked; who runs phases asks for the
// strongest directive when a phase is over.
import { quoted } from '../base/text.ts'
import { createMarkers, type MarkerOptions, stronger, type WorkflowMarker } from './markers.ts'
import type { Policy, PolicyAction } from './policy.ts'

export type Directives = Policy & {
  strongest(): WorkflowMarker | undefined
  /** The next phase begins. */
  reset(): void
}

const none: readonly PolicyAction[] = []

export function createDirectives(options?: MarkerOptions): Directives {
  const markers = createMarkers(options)
  let found: WorkflowMarker | undefined

  return {
    step(event) {
      const before = found?.type
      for (const marker of markers.step(event)) if (marker.type !== 'status') found = stronger(found, marker)
      if (found?.type !== 'abort' || before === 'abort') return none
      const { label } = found
      const text = label === undefined ? 'the agent gave up with an abort marker' : `the agent gave up: ${quoted(label, 200)}`
      return [{ type: 'stop', reason: 'blocked', text, code: 'abort', when: 'step' }]
    },
    strongest: () => found,
    reset: () => (found = undefined),
  }
}
