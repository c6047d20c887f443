// How sluice's own events are known: `kind` and `seq` together.
import type { Claimer } from '../contract.ts'

export const claimer: Claimer = {
  name: 'sluice',
  title: 'sluice canonical events',
  claim: (record) => (typeof record['kind'] === 'string' && typeof record['seq'] === 'number' ? (record['v'] === 1 ? 1 : 0.6) : 0),
  version: (record) => (typeof record['v'] === 'number' ? String(record['v']) : undefined),
}
