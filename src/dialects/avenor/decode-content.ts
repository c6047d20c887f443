// Pieces of a record as the model tells them: blocks of text, a call's input and paths, the steps of a plan.
import { isRecord, parseJson } from '../../base/json.ts'
import { textOfBlock } from '../contract.ts'

export const planStatus = (status: string | null | undefined): 'pending' | 'active' | 'done' =>
  status === 'completed' || status === 'done' ? 'done' : status === 'in_progress' || status === 'active' ? 'active' : 'pending'

/** Some backends send the arguments as the text of their JSON. */
export function inputOf(rawInput: unknown): unknown {
  if (typeof rawInput !== 'string' || !rawInput.startsWith('{')) return rawInput ?? undefined
  try {
    return parseJson(rawInput)
  } catch {
    return rawInput
  }
}

export function pathsOf(locations: unknown): string[] | undefined {
  if (!Array.isArray(locations)) return undefined
  const paths = locations.flatMap((location: unknown) =>
    isRecord(location) && typeof location['path'] === 'string' ? [location['path']] : [],
  )
  return paths.length === 0 ? undefined : paths
}

/** One block or a list of them; texts may stand bare. */
export const blocksOf = (content: unknown): readonly unknown[] => (Array.isArray(content) ? content : [content])

export function textIn(content: unknown): string | undefined {
  const texts = blocksOf(content).flatMap((block) => textOfBlock(block) ?? [])
  return texts.length === 0 ? undefined : texts.join('')
}

/** What a checkpoint's report says, whichever of the usual keys it uses. */
export const spoken = (payload: unknown): unknown =>
  isRecord(payload) ? (payload['text'] ?? payload['message'] ?? payload['summary']) : payload
