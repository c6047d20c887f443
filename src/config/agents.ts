// Claude's files of agents, `.claude/agents/*.md`, as profiles. They are another program's files: what is not known is passed over.
import { join } from 'node:path'
import type { Rec } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { splitFrontmatter, textIn } from './frontmatter.ts'
import { wrongName } from './names.ts'
import { foldersBetween, type Places, shortPath } from './places.ts'
import { namesIn, readText, reasonOf } from './read.ts'
import type { Profile } from './shape.ts'
import { rulesOfTools } from './tools.ts'

export type AgentFile = { path: string; hash: string; where: 'home' | 'project'; profile: Profile }
export type AgentProblem = { path: string; reason: string }

const largest = 256 * 1024
const most = 200 // in a folder

/** The user's first, then the project's from its root down. */
export async function readAgents(places: Places): Promise<{ agents: AgentFile[]; problems: AgentProblem[] }> {
  const { home, root, cwd } = places
  const folders = [
    { folder: home, where: 'home', within: home } as const,
    ...foldersBetween(root, cwd)
      .filter((folder) => folder !== home)
      .map((folder) => ({ folder, where: 'project', within: root }) as const),
  ]
  const agents: AgentFile[] = []
  const problems: AgentProblem[] = []
  for (const { folder, where, within } of folders) {
    const inside = join(folder, '.claude/agents')
    const names = namesIn(inside).filter((name) => name.endsWith('.md'))
    if (names.length > most) problems.push({ path: inside, reason: `only the first ${most} files are read` })
    for (const name of names.slice(0, most)) {
      const path = join(inside, name)
      try {
        const file = readText(path, { most: largest, within })
        if (file === undefined) throw new Error('it is a link that leads nowhere')
        if (file.cut) throw new Error(`it is longer than ${largest} bytes`)
        const tell = (reason: string): void => void problems.push({ path, reason })
        const profile = await profileOf(file.text, name.slice(0, -'.md'.length), shortPath(path, home), tell)
        agents.push({ path: file.path, hash: file.hash, where, profile })
      } catch (error) {
        problems.push({ path, reason: reasonOf(error) })
      }
    }
  }
  return { agents, problems }
}

async function profileOf(text: string, fileName: string, from: string, tell: (reason: string) => void): Promise<Profile> {
  const { data, body } = await splitFrontmatter(text)
  const name = textIn(data, 'name') ?? fileName
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
    throw new Error(`${quoted(name)} is no name: letters, digits, dot, dash, underscore, at most 64`)
  const tools = toolsIn(data, tell)
  const model = textIn(data, 'model')
  return {
    name,
    description: textIn(data, 'description') ?? '',
    ...(body !== '' && { prompt: body }),
    ...(model !== undefined && model !== 'inherit' && { model }),
    ...(tools !== undefined && { tools }),
    rules: rulesOfTools(tools, from),
    from,
  }
}

/** `Read, Bash` or a list. */
function toolsIn(data: Rec, tell: (reason: string) => void): string[] | undefined {
  const value = data['tools']
  const list = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : textIn(data, 'tools')?.split(',')
  const names = list?.map((name) => name.trim()).filter((name) => name !== '')
  const conditional = names?.filter((name) => /[()]/.test(name)) ?? []
  if (conditional.length > 0)
    // without its condition, `Bash(git *)` would be more than was meant
    tell(
      `it goes without ${conditional.map((name) => quoted(name)).join(', ')}: conditions are not read here, say them as permission in the settings`,
    )
  const ours = names?.filter((name) => !conditional.includes(name)).map(ourName)
  for (const reason of ours?.flatMap((name) => wrongName(name) ?? []) ?? []) tell(reason)
  return ours
}

const others: Record<string, string> = { multiedit: 'edit', notebookedit: 'edit', agent: 'task', ls: 'glob' }

/** `mcp__server__tool` is `server_tool` here, `mcp__server` all of its tools. */
function ourName(name: string): string {
  const [, server, tool = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? []
  if (server !== undefined) return `${server}_${tool}`.replaceAll(/[^\w*-]/g, '_')
  const lower = name.toLowerCase()
  return Object.hasOwn(others, lower) ? others[lower]! : lower
}
