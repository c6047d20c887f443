// Numbers as people read them.
import type { Usage } from '../model/event.ts'
import { totalTokens } from '../model/usage.ts'

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (value: number): string => String(value).padStart(2, '0')
  return hours > 0 ? `${hours} h ${two(minutes)} min` : `${minutes} min ${two(rest)} s`
}

/** Of what goes on: whole seconds, so that it can be drawn again and again. */
export function sinceText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1000)
}

export const countText = (count: number): string => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',')

/** Two digits of a small sum, tenths of a cent below a dollar, cents above. */
export function costText(usd: number): string {
  if (usd === 0) return '$0'
  const digits = usd < 0.01 ? Math.min(9, 1 - Math.floor(Math.log10(usd))) : usd < 1 ? 3 : 2
  return `$${usd.toFixed(digits)}`
}

/** Of a whole session. Where the words came from a script, its price is what a real model would have cost. */
export const paidText = (usd: number, scripted: boolean | undefined): string =>
  scripted === true ? `${costText(usd)} (${noRealCost})` : costText(usd)

/** The same of a cost that may not be known. */
export const costOrWhy = (usd: number | undefined, scripted: boolean): string =>
  usd !== undefined ? paidText(usd, scripted) : scripted ? noRealCost : 'cost unknown'

export const noRealCost = 'scripted model, no real cost'

export const tokensText = (usage: Usage): string => `${countText(totalTokens(usage))} tokens`

/** Date and minute in the reader's own time zone. */
export function timeText(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}
