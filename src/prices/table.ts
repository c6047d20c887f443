// A table of models: what a name must look like to be meant, how much context the model has, and what its tokens cost.
// Tables are plain JSON: one is packaged (made by scripts/prices.ts), a newer one may come from models.dev.

export type PriceTable = { source: Source; providers: ProviderRow[] }

/** Where the figures come from, and of which day they are. */
export type Source = { name: string; version?: string; date: string }

export type ProviderRow = {
  id: string
  name: string
  /** Other names of the provider, and names of models that are its own wherever they are met. */
  known?: Match
  owns?: Match
  /** Providers whose models it sells at their prices. */
  resells?: string[]
  models: ModelRow[]
}

export type ModelRow = {
  id: string
  /** Which names mean this model; absent: only its id. */
  match?: Match
  context?: number
  output?: number
  /** The last one that holds at the time of use counts. */
  rates: Rates | DatedRates[]
}

/** Dollars per million tokens. `cacheWriteLong`: kept for an hour. An absent cache rate is that of plain input. */
export type Rates = {
  input?: Rate
  output?: Rate
  reasoning?: Rate
  cacheRead?: Rate
  cacheWrite?: Rate
  cacheWriteLong?: Rate
}
/** With steps: a request whose context is larger than `over` costs `rate` for all its tokens. */
export type Rate = number | { base: number; steps: { over: number; rate: number }[] }
/** `since`: ms since the epoch. `daily`: from and to, in seconds of the UTC day. */
export type DatedRates = { since?: number; daily?: [from: number, to: number]; rates: Rates }

/** Any of the patterns; a nested list wants all of its own. `=` equals, `^` begins, `$` ends, `*` holds, `/` regular expression. */
export type Match = (string | string[])[]

export function matches(match: Match, name: string): boolean {
  return match.some((pattern) => (typeof pattern === 'string' ? fits(pattern, name) : pattern.every((part) => fits(part, name))))
}

function fits(pattern: string, name: string): boolean {
  const text = pattern.slice(1)
  switch (pattern[0]) {
    case '=':
      return name === text
    case '^':
      return name.startsWith(text)
    case '$':
      return name.endsWith(text)
    case '*':
      return name.includes(text)
    default:
      return expression(text).test(name)
  }
}

const expressions = new Map<string, RegExp>()
function expression(text: string): RegExp {
  let made = expressions.get(text)
  if (made === undefined) expressions.set(text, (made = new RegExp(text)))
  return made
}
