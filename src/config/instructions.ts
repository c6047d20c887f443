// Instructions for the model: AGENTS.md and CLAUDE.md of the user and of the project, and what the settings name. They are text, not
// rules, so that those of an untrusted project are read, too; but never through a link that leads out of it, or to a secret.
import { join } from 'node:path'
import { foldersBetween, isInside, type Places } from './places.ts'
import { type FileText, readText, reasonOf } from './read.ts'

export type Instruction = {
  path: string
  text: string
  /** It was longer; the text says so at its end. */
  cut?: true
}
export type FoundInstructions = { instructions: Instruction[]; problems: { path: string; reason: string }[] }

const largest = 64 * 1024

/** `more`: the paths of the settings; `isSecret`: of a path, that it must not be shown to a model unasked. Those of the user come first, then from the project's root down to cwd, then `more`. */
export async function findInstructions(
  { home, configFolder, root, cwd }: Places,
  more: readonly string[] = [],
  isSecret: (path: string) => boolean = () => false,
): Promise<FoundInstructions> {
  const problems: FoundInstructions['problems'] = []
  const found = new Map<string, Instruction>()
  const read = (path: string): FileText | undefined => {
    try {
      const file = readText(path, { most: largest, ...(isInside(path, root) && { within: root }) })
      if (file !== undefined && isSecret(file.path)) throw new Error('it leads to a file that may hold secrets')
      return file
    } catch (error) {
      problems.push({ path, reason: reasonOf(error) })
      return undefined
    }
  }
  const take = (file: FileText | undefined): void => {
    if (file === undefined || file.text.trim() === '' || found.has(file.path)) return
    const { path, text, cut } = file
    found.set(
      path,
      cut ? { path, text: `${text}\n\n[The rest is left out: the file is longer than ${largest} bytes.]`, cut } : { path, text },
    )
  }

  take(read(join(configFolder, 'AGENTS.md')))
  take(read(join(home, '.claude/CLAUDE.md')))
  for (const folder of foldersBetween(root, cwd)) {
    const agents = read(join(folder, 'AGENTS.md'))
    const claude = read(join(folder, 'CLAUDE.md'))
    take(agents)
    if (agents === undefined || (claude !== undefined && !saysTheSame(claude.text, agents.text))) take(claude)
  }
  for (const path of more) {
    const known = problems.length
    const file = read(path)
    if (file === undefined && problems.length === known) problems.push({ path, reason: 'there is no such file' })
    take(file)
  }
  return { instructions: [...found.values()], problems }
}

/** Many projects keep a CLAUDE.md that is a copy of AGENTS.md, or one line that points to it. */
const saysTheSame = (claude: string, agents: string): boolean =>
  claude.trim() === agents.trim() || /^@(\.\/)?AGENTS\.md$/.test(claude.trim())
