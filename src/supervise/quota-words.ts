// Whether a failure says that a usage limit is reached, of whom, and when it resets. Only failures are asked: a model may talk about
// limits as much as it likes. A limit that only money lifts is none of these, since nobody can wait for it.
import { parseJson, type Rec } from '../base/json.ts'
import type { Fault } from '../model/event.ts'
import type { FaultCategory } from '../model/vocabulary.ts'
import { epochOf, resetIn, sane, spanAt, type Zone } from './quota-times.ts'

/** `provider` is absent where the words do not tell it. */
export type Found = { provider?: string; resetsAt?: number }

const longest = 4000
/** An error of no known sort must say it at once: its text may end in anybody's words. */
const atOnce = 60

const possible: ReadonlySet<FaultCategory> = new Set(['rate_limit', 'billing', 'overloaded', 'provider', 'unknown'])
const forMoney = /insufficient_quota|credit balance is too low|insufficient (?:credits|balance)|out of credits/i
/** Said of both kinds of quota: with a time to come again, or by Google, it is one that fills up by itself. */
const forBoth = /\bplan and billing\b/i
const longMs = 60_000 // a provider that is asked too fast says that too, and for how short a time

const codes =
  /^(?:usage_?limit_?(?:reached|exceeded)|quota_?exceeded|rate_?limit_?exceeded_?daily|FreeUsageLimitError|TerminalQuotaError)$/i

/** The first that matches tells the provider; the last ones are said by many. */
const words: readonly (readonly [RegExp, string?])[] = [
  [/\bclaude(?: ai| code)? (?:usage |pro |max )?limit reached|\b(?:5-hour|opus|sonnet) limit reached/i, 'anthropic'],
  [/\bhit your (?:(?:5-hour|session|weekly|opus|sonnet|fable|monthly) )?limit\b/i, 'anthropic'],
  [/\bhit your usage limit\b[^]{0,300}(?:openai|chatgpt|codex)/i, 'openai'],
  [
    /\bexhausted your (?:daily |monthly )?(?:capacity|quota)|\bquota will reset after\b|\bresource_exhausted\b|generativelanguage/i,
    'google',
  ],
  [/\breached your daily [\w.-]{0,40} ?quota limit\b/i, 'google'],
  [/\brate limit that restricts the number of copilot\b|\blimit for premium requests\b|\bpremium request (?:limit|quota)\b/i, 'copilot'],
  [/\bfree-models-per-(?:day|min)/i, 'openrouter'],
  [/\bfree usage exceeded\b/i, 'opencode'],
  [/\b(?:usage|session|hourly|daily|weekly|monthly|5-hour) (?:usage )?limit (?:has been |is |was )?(?:reached|exceeded|hit)\b/i],
  [/\b(?:hit|reached|exceeded|used up) (?:your|the) (?:[\w.-]{1,40} ){0,4}?(?:usage limit|quota)\b/i],
  [/\bquota (?:has been |is |was )?(?:exceeded|exhausted)\b|\byou have no quota\b/i],
]

/** `data`: what came beside the failure, as an answer's headers and body. */
export function limitIn(fault: Fault, data: unknown, now: number, zone: Zone): Found | undefined {
  if (!possible.has(fault.category)) return undefined
  const beside = pairsIn(data)
  const head = fault.text.slice(0, longest)
  const said = [head, ...beside.flatMap(([key, value]) => (isBody(key) && typeof value === 'string' ? [value.slice(0, longest)] : []))]
  if (forMoney.test(fault.code ?? '') || said.some((text) => forMoney.test(text))) return undefined
  const resetsAt = told(beside, now) ?? firstOf(said, (text) => resetIn(text, now, zone))
  const found = firstOf(said, (text) => wordsIn(text, text === head && fault.category === 'unknown' && !isCode(fault)))
  const isLong = fault.category === 'rate_limit' && resetsAt !== undefined && resetsAt >= now + longMs
  if (found === undefined && !isCode(fault) && !isLong) return undefined
  if (resetsAt === undefined && found?.provider !== 'google' && said.some((text) => forBoth.test(text))) return undefined
  const provider = found?.provider ?? providerOf(beside)
  return { ...(provider !== undefined && { provider }), ...(resetsAt !== undefined && { resetsAt }) }
}

const isCode = ({ code }: Fault): boolean => codes.test(code ?? '')

function wordsIn(text: string, mustOpen: boolean): { provider: string | undefined } | undefined {
  for (const [sound, provider] of words) {
    const at = text.search(sound)
    if (at >= 0 && (!mustOpen || at <= atOnce)) return { provider }
  }
  return undefined
}

function firstOf<Item, Value>(items: readonly Item[], read: (item: Item) => Value | undefined): Value | undefined {
  for (const item of items) {
    const value = read(item)
    if (value !== undefined) return value
  }
  return undefined
}

// ── headers and bodies ───────────────────────────────────────────────────────────────────────────────────────────────────

type Pair = readonly [key: string, value: unknown]

const mostPairs = 500
const deepest = 8
const longestBody = 65_536

const isBody = (key: string): boolean => key === 'responsebody' || key === 'body' || key === 'message' || key === 'status'

/** All that has a name in it, names in small letters; also what stands in a text that is JSON. */
function pairsIn(data: unknown): Pair[] {
  const pairs: Pair[] = []
  let left = mostPairs
  const visit = (value: unknown, depth: number): void => {
    if (depth > deepest) return
    const found = typeof value === 'string' ? parsed(value) : value
    if (typeof found !== 'object' || found === null) return
    for (const key in found) {
      if (left-- <= 0) return
      const item = (found as Rec)[key]
      if (!Array.isArray(found)) pairs.push([key.toLowerCase(), item])
      visit(item, depth + 1)
    }
  }
  visit(data, 0)
  return pairs
}

function parsed(text: string): unknown {
  if (text.length > longestBody || !/^\s*[{[]/.test(text)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

type Reading = (value: string, now: number) => number | undefined
const seconds: Reading = (value, now) => (numeric.test(value) ? now + Number(value) * 1000 : undefined)
const span: Reading = (value, now) => {
  const ms = spanAt(value)
  return ms === undefined ? undefined : now + ms
}
const moment: Reading = (value) => (numeric.test(value) ? epochOf(Number(value)) : real(Date.parse(value)))
/** Some write a moment there, some how long it takes. */
const either: Reading = (value, now) => (numeric.test(value) && Number(value) < 1e9 ? seconds(value, now) : moment(value, now))
const numeric = /^\d+(?:\.\d+)?$/
const real = (time: number): number | undefined => (Number.isNaN(time) ? undefined : time)

/** The surest first. */
const readings: readonly (readonly [RegExp, Reading])[] = [
  [/^anthropic-ratelimit-unified-reset$|^resets_?at$|^quotaresettimestamp$/, moment],
  [/^resets_in_seconds$/, seconds],
  [/^retry-after-ms$/, (value, now) => (numeric.test(value) ? now + Number(value) : undefined)],
  [/^retry-after$/, (value, now) => seconds(value, now) ?? moment(value, now)],
  [/^(?:retrydelay|quotaresetdelay)$/, span],
  [/^x-ratelimit-reset$/, either],
]
/** Of several pools each has its own; only an empty one is waited for. */
const pools = /^(?:anthropic-ratelimit-(.+)-reset|x-ratelimit-reset-(.+))$/

function told(pairs: readonly Pair[], now: number): number | undefined {
  for (const [name, read] of readings)
    for (const [key, value] of pairs) {
      const time = name.test(key) ? sane(timeOf(value, read, now), now) : undefined
      if (time !== undefined) return time
    }
  const resets = pairs.flatMap(([key, value]) => {
    const [, first, second] = pools.exec(key) ?? []
    const time =
      first === undefined && second === undefined
        ? undefined
        : sane(
            timeOf(value, (text) => span(text, now) ?? either(text, now), now),
            now,
          )
    const left = pairs.find(([other]) => other === `anthropic-ratelimit-${first}-remaining` || other === `x-ratelimit-remaining-${second}`)
    return time === undefined || Number(left?.[1] ?? 0) > 0 ? [] : [time]
  })
  return resets.length === 0 ? undefined : Math.max(...resets)
}

const timeOf = (value: unknown, read: Reading, now: number): number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? read(String(value).trim(), now) : undefined

const providerOf = (pairs: readonly Pair[]): string | undefined =>
  pairs.some(([key]) => key.startsWith('anthropic-ratelimit-')) ? 'anthropic' : undefined
