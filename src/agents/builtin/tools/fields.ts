// Reads the arguments of a call. They have passed the tool's schema, so a wrong type here only means absent.
import type { Rec } from '../../../base/json.ts'

export const textField = (input: Rec, key: string): string => optionalText(input, key) ?? ''

export function optionalText(input: Rec, key: string): string | undefined {
  const value = input[key]
  return typeof value === 'string' ? value : undefined
}

export function optionalNumber(input: Rec, key: string): number | undefined {
  const value = input[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A whole number between the two, whatever was asked for. */
export const bounded = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, Math.trunc(value)))
