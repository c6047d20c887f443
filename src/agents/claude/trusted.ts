// What somebody has let Claude do from now on, by one of the suggestions that its questions carry. Claude remembers it; our hook must then
// leave such calls to Claude, which asks for whatever the suggestion does not cover.
import { isRecord } from '../../base/json.ts'
import type { Answer } from '../../supervise/contract.ts'

/** `suggestion-1` is the first of them, as the dialect names them. */
export function suggestionOf(suggestions: readonly unknown[] = [], { decision, option = '', instead }: Answer): unknown {
  const number = /^suggestion-(\d+)$/.exec(option)?.[1]
  return decision === 'allow' && instead === undefined && number !== undefined ? suggestions[Number(number) - 1] : undefined
}

/** `isFree`: it decides by itself about every tool. */
export function createTrusted(isFree: boolean) {
  let isAll = isFree
  const tools = new Set<unknown>()
  return {
    /** `name`: the tool that was asked about. A mode is about all tools, rules are about those that they name. */
    add(name: string, suggestion: unknown): void {
      const { type, rules } = isRecord(suggestion) ? suggestion : {}
      if (type === 'setMode') isAll = true
      tools.add(name)
      for (const rule of Array.isArray(rules) ? (rules as unknown[]) : []) if (isRecord(rule)) tools.add(rule['toolName'])
    },
    has: (name: unknown): boolean => isAll || tools.has(name),
  }
}
