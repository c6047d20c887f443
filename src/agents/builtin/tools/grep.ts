// Searches the content of files, the newest first.
import { basename, dirname, join } from 'node:path'
import { optionalText, textField } from './fields.ts'
import { confirmPlace, type Place, resolvePath, statOf } from './files.ts'
import { countSecrets, oneLine, search, secretFilter, secretsNote, withoutSecrets } from './ripgrep.ts'
import { type Tool, type ToolContext, ToolError, type ToolResult } from './tool.ts'

const most = 100
const longestLine = 2000

export const grepTool: Tool = {
  name: 'grep',
  description:
    `Searches files for a regular expression and shows the lines with their numbers, the newest files first, at most ${most} lines. ` +
    'What .gitignore names is left out.',
  parameters: {
    type: 'object',
    properties: {
      pattern: { type: 'string', description: 'A regular expression, as ripgrep takes it' },
      path: { type: 'string', description: 'The folder or file to search; the project folder unless given' },
      include: { type: 'string', description: 'Only files whose path fits this, such as "*.ts" or "*.{ts,tsx}"' },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  kind: 'search',
  source: 'builtin',
  changes: false,
  async plan(input, context) {
    const pattern = textField(input, 'pattern')
    if (pattern === '') throw new ToolError('the pattern is empty; say what to search for')
    const place = await resolvePath(optionalText(input, 'path') ?? '.', context)
    return {
      title: pattern,
      ask: { permission: 'grep', patterns: [pattern], paths: [place.real] },
      run: ({ signal }) => grep({ pattern, include: optionalText(input, 'include') }, place, signal, context),
    }
  },
}

type Wanted = { pattern: string; include: string | undefined }

async function grep({ pattern, include }: Wanted, place: Place, signal: AbortSignal, context: ToolContext): Promise<ToolResult> {
  await confirmPlace(place)
  const found = await statOf(place.real)
  const isFolder = found?.isDirectory() ?? false
  if (!isFolder && !found?.isFile()) throw new ToolError(`"${place.path}" is neither a folder nor a regular file; name one that exists`)
  const folder = isFolder ? place.real : dirname(place.real)
  const shape = ['--null', '--line-number', '--with-filename', '--no-heading', `--max-columns=${longestLine}`, '--max-columns-preview']
  const files = [...(include === undefined ? [] : [`--glob=${include}`]), '--glob=!.git', ...(isFolder ? withoutSecrets(context) : [])]
  const args = [...shape, '--sortr=modified', ...files, `--regexp=${pattern}`, '--', isFolder ? '.' : `./${basename(place.real)}`]
  const filter = secretFilter(folder, fileOf, context)
  const [{ lines, more }, secrets] = await Promise.all([
    search({ args, folder, most, signal, ...(isFolder && { keep: filter.keep }) }, context),
    isFolder ? countSecrets({ folder, signal }, context) : 0,
  ])
  const notes = [
    ...(more ? [`[${most} lines are shown; there are more: use a narrower pattern or path]`] : []),
    ...secretsNote(secrets + filter.count()),
  ]
  const { matches, remarks } = sorted(lines)
  const shown = grouped(matches, isFolder ? place.path : dirname(place.path))
  return {
    text: [...(lines.length === 0 ? ['nothing found'] : shown), ...remarks, ...notes].join('\n'),
    data: { matches: matches.length, truncated: more },
  }
}

/** Only a match has a NUL, behind the name of its file. Without one, it is a word on a binary file or the beginning of a name with line breaks. */
function sorted(lines: readonly string[]): { matches: string[]; remarks: string[] } {
  const matches: string[] = []
  const remarks: string[] = []
  let name = ''
  for (const line of lines) {
    const isMatch = line.includes('\0')
    const isRemark = !isMatch && /: (WARNING: stopped searching )?binary file /.test(line)
    if (isMatch) matches.push(name + line)
    if (isRemark) remarks.push(`[${line}]`)
    name = isMatch || isRemark ? '' : `${name}${line}\n`
  }
  return { matches, remarks }
}

const fileOf = (line: string): string => line.slice(0, line.indexOf('\0'))

/** Each file once, its lines below it. */
function grouped(lines: readonly string[], folder: string): string[] {
  const shown: string[] = []
  let last: string | undefined
  for (const line of lines) {
    const file = oneLine(join(folder, fileOf(line)))
    if (file !== last) shown.push(...(last === undefined ? [] : ['']), `${file}:`)
    last = file
    shown.push(`  ${line.slice(line.indexOf('\0') + 1).replace(':', ': ')}`)
  }
  return shown
}
