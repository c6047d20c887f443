// The answers that an agent itself offers to a question, as people read them and as they are chosen.
import { isRecord, type Rec, stringifyJson } from '../base/json.ts'
import type { EventOf, Option } from '../model/event.ts'
import { isAllowing, isLasting, optionLabels } from '../model/option.ts'

type Asked = EventOf<'permission.request'>

/**
 * `isHeld`: the agent must go on asking, so nothing that allows more than this call is offered. `refusal`: a no that it takes, though it does
 * not name it. Undefined: it names no options.
 */
export function offeredIn({ options, suggestions = [] }: Asked, isHeld: boolean, refusal?: Option): Option[] | undefined {
  if (options.length === 0) return undefined
  const ids = distinct(options.map(({ id }) => id))
  const told = [...suggestions]
  const named = options.map((option, at): Option => {
    const { kind, label = labelOf(option, suggestionFor(option, told)) } = option
    return { id: ids[at]!, kind, label }
  })
  const isMissing = refusal !== undefined && !named.some(({ kind }) => kind === 'reject_once')
  const all = isMissing ? [...named, { label: optionLabels.reject_once, ...refusal }] : named
  return all.filter((option) => !isHeld || !isAllowing(option) || !isLasting(option))
}

/** Claude's are numbered, Codex's have the option for their key, opencode's are the patterns that it would allow. Each is used once. */
function suggestionFor(option: Option, suggestions: unknown[]): unknown {
  const number = /^suggestion-(\d+)$/.exec(option.id)?.[1]
  if (number !== undefined) return suggestions[Number(number) - 1]
  if (option.kind === 'allow_always' && suggestions.length > 0 && suggestions.every((one) => typeof one === 'string'))
    return suggestions.join(', ')
  const at = suggestions.findIndex((one) => isRecord(one) && Object.hasOwn(one, option.id))
  return at === -1 ? undefined : suggestions.splice(at, 1)[0]
}

/** Two options of one name can be told apart, and the first keeps its name. */
export function distinct(ids: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return ids.map((id) => {
    const count = (seen.get(id) ?? 0) + 1
    seen.set(id, count)
    return count === 1 ? id : `${id}-${count}`
  })
}

function labelOf({ kind }: Option, suggestion: unknown): string {
  const what = suggestion === undefined ? undefined : wordsOf(suggestion)
  return what === undefined ? optionLabels[kind] : `${optionLabels[kind]}: ${what}`
}

const longest = 200

/** What would be allowed from then on, in the agent's own terms. */
function wordsOf(suggestion: unknown): string {
  const text = typeof suggestion === 'string' ? suggestion : isRecord(suggestion) ? ruleWords(suggestion) : stringifyJson(suggestion)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function ruleWords(suggestion: Rec): string {
  const { rules, mode, directories, destination } = suggestion
  const where = typeof destination === 'string' && destination !== 'session' ? ` (${destination})` : ''
  if (Array.isArray(rules)) return `${rules.map(ruleText).join(', ')}${where}`
  if (typeof mode === 'string') return `mode ${mode}${where}`
  if (Array.isArray(directories)) return `${directories.join(', ')}${where}`
  const [inner] = Object.values(suggestion)
  const [amendment] = isRecord(inner) ? Object.values(inner) : []
  return Array.isArray(amendment) ? amendment.join(' ') : stringifyJson(amendment ?? suggestion)
}

function ruleText(rule: unknown): string {
  const { toolName, ruleContent } = isRecord(rule) ? rule : {}
  return typeof toolName === 'string' ? `${toolName}${typeof ruleContent === 'string' ? `(${ruleContent})` : ''}` : stringifyJson(rule)
}
