// Fields that may hold anything, read as what they should be; anything else is absent.
import { isRecord, type Rec } from '../base/json.ts'

export const str = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
export const nat = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
export const int = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined)
export const real = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

/** What a provider's error brought beside its message, as opencode and aictrl tell it: headers, body. */
export function diagnosticsOf(error: unknown): Rec | undefined {
  const data = isRecord(error) ? error['data'] : undefined
  if (!isRecord(data)) return undefined
  for (const key in data) if (key !== 'message' && key !== 'statusCode' && key !== 'isRetryable') return data
  return undefined
}
