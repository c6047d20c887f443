// Names in rules and lists of tools: a name that nobody has would match nothing, and a rule that denies would be none.
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { knownTools } from '../model/tool-kind.ts'

/** Permissions that are no tools. */
const permissions = ['external_directory', 'secret_file', 'unknown_path', 'control_run', 'network', 'websearch', 'webfetch', 'question']
/** Tools of our own come first: of two names that are equally near, the first is named. */
const own = ['bash', 'read', 'write', 'edit', 'glob', 'grep', 'webfetch', 'todowrite', 'task', 'skill']

/**
 * What is wrong with it; undefined: nothing. A name in two parts may be that of an MCP tool, whose server another agent knows: it is wrong
 * only where it is nearly one of ours. A name with a wildcard stands for whatever it matches.
 */
export function wrongName(name: string): string | undefined {
  const word = name.trim().toLowerCase()
  const known = [...new Set([...own, ...permissions, ...knownTools()])]
  if (/[*?]/.test(word) || known.includes(word)) return undefined
  const isInParts = /[^a-z0-9]/.test(word)
  const near = word.length < 3 ? undefined : nearest(word, isInParts ? permissions.filter((one) => one.includes('_')) : known)
  if (near !== undefined) return `there is no tool or permission ${quoted(name)}; did you mean ${near}?`
  if (isInParts) return undefined
  return `there is no tool or permission ${quoted(name)}; known are ${[...own, ...permissions.slice(0, 3)].join(', ')}, an MCP tool is SERVER_TOOL, and ${quoted(`${name}*`)} is for a tool that only another agent has`
}
