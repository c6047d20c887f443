// The many ways in which agents and gateways write the name of one model. The result is a list of guesses, the most precise first;
// whoever looks a name up takes the first that is known.

export type Guess = { provider?: string; model: string }

/** Longer names are nobody's; they come from hostile streams. */
const longest = 200
const mostParts = 4

export function guesses(model: string, provider?: string): { guesses: Guess[]; million: boolean } {
  const lower = model.slice(0, longest).trim().toLowerCase()
  const million = lower.endsWith('[1m]')
  const name = lower.replace(/\[1m\]$/, '').replace(/^arn:aws[\w-]*:bedrock:.*\//, '')
  const found: Guess[] = []
  const add = (guess: Guess): void => {
    if (guess.model !== '' && !found.some((other) => other.model === guess.model && other.provider === guess.provider)) found.push(guess)
  }
  if (provider !== undefined) add({ provider: provider.toLowerCase(), model: name })
  for (const guess of prefixed(name)) add(guess)
  add({ model: name })
  for (const { model: left } of found.slice()) for (const bare of simpler(left)) add({ model: bare })
  return { guesses: found, million }
}

/** `anthropic/claude-…`, `openrouter/anthropic/claude-…`, `models/gemini-…`, `openai:gpt-…`, `us.anthropic.claude-…-v1:0`. */
function* prefixed(name: string): Generator<Guess> {
  const parts = name.split('/').slice(-mostParts)
  for (let at = 1; at < parts.length; at++) yield { provider: parts[at - 1]!, model: parts.slice(at).join('/') }
  for (let at = 1; at < parts.length; at++) yield { model: parts.slice(at).join('/') }
  const last = parts.at(-1)!
  if (/^([a-z-]+\.)?(anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen|ai21|google)\.[a-z]/.test(last))
    yield { provider: 'aws', model: last }
  const colon = /^([a-z][\w-]*):([a-z].*)$/.exec(name)
  if (colon !== null) yield { provider: colon[1]!, model: colon[2]! }
}

/** The same name without what says where it runs or how it thinks. */
function* simpler(name: string): Generator<string> {
  const bare = name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/^([a-z-]+\.)?(anthropic|amazon|meta|mistral|openai|google)\./, '')
    .replace(/-v\d+(:\d+)?$/, '')
  yield bare
  yield bare.replace(/[:@](free|thinking|beta|latest|default|exacto|online|floor|nitro)$/, '')
  yield bare.replace(/-(thinking|latest|preview|high|medium|low|xhigh|minimal)$/, '')
  yield bare.replace(/[-@]20\d{2}-?\d{2}-?\d{2}$/, '')
}
