// An agent's text in Markdown: always a code span. In it nothing is a link, a mention, an image, HTML, a formula or an emoji, and no
// renderer looks for any. Escaping by backslash would not do: mentions and addresses are found after escapes have been resolved.
import { cutTo } from './layout.ts'
import { harmlessLine } from './harmless.ts'
import { noCommand } from './workflow-command.ts'

const maxColumns = 500

/** On one line. A text without a visible character has a span, too. */
export function codeSpan(text: string, columns = maxColumns): string {
  const line = noCommand(cutTo(harmlessLine(text).trim(), columns))
  if (line === '') return '` `'
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const fence = '`'.repeat(longest + 1)
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${line}${pad}${fence}`
}

/**
 * The same in a cell of a table. A row is cut at its bars before anything else is looked at, so they need a backslash also in a span. Of two
 * backslashes before a bar renderers make different things: a space between them leaves no doubt.
 */
export const codeCell = (text: string, columns = maxColumns): string =>
  codeSpan(text.replaceAll('\\|', '\\ |'), columns).replaceAll('|', '\\|')
