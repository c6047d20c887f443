// An MCP tool has one name in rules, SERVER_TOOL, and agents call it in their own ways: `mcp__s__t`, `mcp_s_t`, `mcp.s.t`, `s-t`, `s.t`, `s/t`, `s_t`.
// A rule that asks or denies holds for every way in which a name can be read; one that allows only where there is a single way.
import { glob } from '../base/wildcard.ts'

const marked = /^mcp[_.]+(?=[^_.*?])/
const separators = /[^a-z0-9*?]+/g

/** All separators are one: whatever the name may be read as has this form. */
const folded = (name: string): string => name.toLowerCase().replaceAll(separators, '_')

export function mayBeNamed(rule: string, name: string): boolean {
  if (rule === '*') return true
  const spoken = [name, name.toLowerCase().replace(marked, '')].map(folded)
  const wanted = [rule, rule.toLowerCase().replace(marked, '')].map(folded)
  return wanted.some((pattern) => pattern !== '*' && spoken.some((one) => glob(pattern, one)))
}

/** As the documents write it, or as the agent does. */
export const isSurelyNamed = (rule: string, name: string): boolean => {
  const own = ruleName(name)
  return own !== undefined && glob(rule.toLowerCase(), own)
}

/** `server_tool`; undefined where it cannot be told at which place the server's name ends. */
function ruleName(name: string): string | undefined {
  const lower = name.toLowerCase()
  const [, double] = /^mcp__(.+)$/s.exec(lower) ?? []
  if (double !== undefined) {
    const [server = '', tool, ...more] = double.split('__')
    return tool === undefined || tool === '' || server === '' || more.length > 0 ? undefined : sanitised(`${server}_${tool}`)
  }
  const single = /^mcp_(?=[^_])(.+)$/s.exec(lower)?.[1]
  if (single !== undefined) return /[^a-z0-9_-]/.test(single) ? undefined : single
  const parts = lower.replace(/^mcp\.(?=[^.]+\.[^.]+$)/, '').split(/[./]/)
  if (parts.length > 1) return parts.length === 2 && parts.every((part) => part !== '') ? sanitised(parts.join('_')) : undefined
  const dashed = lower.split('-')
  return dashed.length === 2 && dashed.every((part) => part !== '') ? sanitised(dashed.join('_')) : undefined
}

const sanitised = (name: string): string => name.replaceAll(/[^a-z0-9_-]/g, '_')
