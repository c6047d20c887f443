// Finds files by their names, the newest first.
import { join } from 'node:path'
import { optionalText, textField } from './fields.ts'
import { confirmPlace, type Place, resolvePath, statOf } from './files.ts'
import { countSecrets, oneLine, search, secretFilter, secretsNote, withoutSecrets } from './ripgrep.ts'
import { type Tool, type ToolContext, ToolError, type ToolResult } from './tool.ts'

const most = 100

export const globTool: Tool = {
  name: 'glob',
  description: `Finds files whose path fits a pattern such as "src/**/*.ts", the newest first, at most ${most}. What .gitignore names is left out.`,
  parameters: {
    type: 'object',
    properties: {
      pattern: { type: 'string', description: 'With * ** ? [] {}' },
      path: { type: 'string', description: 'The folder to look in; the project folder unless given' },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  kind: 'search',
  source: 'builtin',
  changes: false,
  async plan(input, context) {
    const pattern = textField(input, 'pattern')
    const place = await resolvePath(optionalText(input, 'path') ?? '.', context)
    return {
      title: pattern,
      ask: { permission: 'glob', patterns: [pattern], paths: [place.real] },
      run: ({ signal }) => find(pattern, place, signal, context),
    }
  },
}

async function find(pattern: string, place: Place, signal: AbortSignal, context: ToolContext): Promise<ToolResult> {
  await confirmPlace(place)
  if (!(await statOf(place.real))?.isDirectory()) throw new ToolError(`"${place.path}" is not a folder; name one that exists`)
  const where = { folder: place.real, signal }
  const args = ['--files', '--sortr=modified', `--glob=${pattern}`, '--glob=!.git', ...withoutSecrets(context)]
  const filter = secretFilter(place.real, (line) => line, context)
  const [{ lines, more }, secrets] = await Promise.all([
    search({ ...where, args, most, keep: filter.keep }, context),
    countSecrets(where, context),
  ])
  const notes = [
    ...(more ? [`[the ${most} newest are shown; there are more: use a narrower pattern]`] : []),
    ...secretsNote(secrets + filter.count()),
  ]
  const files = lines.map((line) => oneLine(join(place.path, line)))
  return {
    text: [...(files.length === 0 ? ['no files found'] : files), ...notes].join('\n'),
    data: { count: files.length, truncated: more },
  }
}
