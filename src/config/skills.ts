// Skills: folders with a SKILL.md. They are found by its head; the rest is read when one is used. A skill is text for the model: it
// grants nothing, so that those of an untrusted project are taken, too.
import { realpathSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isRecord } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { splitFrontmatter, textIn } from './frontmatter.ts'
import { foldersBetween, isInside, type Places } from './places.ts'
import { namesIn, readText, reasonOf } from './read.ts'

export type Skill = {
  name: string
  description: string
  version?: string
  /** The SKILL.md, links resolved. */
  path: string
  /** The folder it lies in. */
  folder: string
  where: 'home' | 'project'
}
export type Problem = { path: string; reason: string }
export type FoundSkills = { skills: Skill[]; problems: Problem[] }

// Of two with one name, the one of the later folder counts.
const skillFolders = ['.claude/skills', '.agents/skills', '.sluice/skills']
const largest = 256 * 1024
const deepest = 4
const mostFolders = 2000 // looked into, for each skills folder
const mostSkills = 500
const longestDescription = 1024
const passedOver = new Set(['.git', 'node_modules'])

/** In the order of their names. Those of the project win over those of the home folder, inner ones over outer ones. */
export async function findSkills({ home, cwd, root }: Pick<Places, 'home' | 'cwd' | 'root'>): Promise<FoundSkills> {
  const problems: Problem[] = []
  const skills = new Map<string, Skill>()
  const places = [
    { folder: home, where: 'home', within: home } as const,
    ...foldersBetween(root, cwd)
      .filter((folder) => folder !== home)
      .map((folder) => ({ folder, where: 'project', within: root }) as const),
  ]
  for (const { folder, where, within } of places)
    for (const name of skillFolders) {
      const here = new Map<string, Skill>()
      for (const path of skillFiles(join(folder, name), within, problems)) {
        const skill = await readHead(path, where, within, problems)
        const first = skill && here.get(skill.name)
        if (first !== undefined) problems.push({ path, reason: `${quoted(first.path, 500)} has the same name` })
        else if (skill !== undefined) here.set(skill.name, skill)
      }
      for (const skill of here.values()) skills.set(skill.name, skill)
    }
  return { skills: [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), problems }
}

/** `files`: the first ten, seen from the skill's folder, without SKILL.md. Throws an Error when the file cannot be read any more. */
export async function loadSkill(skill: Skill): Promise<{ body: string; files: string[] }> {
  const file = readText(skill.path, { most: largest, within: skill.folder })
  if (file === undefined) throw new Error(`the skill ${quoted(skill.name)} is gone: there is no ${quoted(skill.path, 500)}`)
  const { body } = await splitFrontmatter(file.text)
  const note = file.cut ? `\n\n[The rest is left out: the file is longer than ${largest} bytes.]` : ''
  return { body: body + note, files: firstFiles(skill.folder, 10) }
}

/** The skill whose folder a file lies in. `path`: absolute, links resolved. */
export const skillOf = (path: string, skills: readonly Skill[]): Skill | undefined =>
  skills.filter(({ folder }) => isInside(path, folder)).toSorted((a, b) => b.folder.length - a.folder.length)[0]

/** A SKILL.md in any folder below; what lies in a skill's folder is the skill's own. */
function skillFiles(top: string, within: string, problems: Problem[]): string[] {
  const found: string[] = []
  const seen = new Set<string>()
  const look = (folder: string, depth: number): void => {
    const real = realFolder(folder)
    if (real === undefined || seen.has(real) || seen.size >= mostFolders || found.length >= mostSkills) return
    if (!isInside(real, within)) return void problems.push({ path: folder, reason: `it is a link that leads out of ${within}` })
    seen.add(real)
    const names = namesIn(real)
    if (depth > 0 && names.includes('SKILL.md')) found.push(join(folder, 'SKILL.md'))
    else if (depth < deepest) for (const name of names) if (!passedOver.has(name)) look(join(folder, name), depth + 1)
  }
  look(top, 0)
  if (seen.size >= mostFolders) problems.push({ path: top, reason: `only the first ${mostFolders} folders were looked into` })
  if (found.length >= mostSkills) problems.push({ path: top, reason: `only the first ${mostSkills} skills were taken` })
  return found
}

async function readHead(path: string, where: Skill['where'], within: string, problems: Problem[]): Promise<Skill | undefined> {
  try {
    const file = readText(path, { most: largest, within })
    if (file === undefined) throw new Error('it is a link that leads nowhere')
    const { data } = await splitFrontmatter(file.text)
    const name = textIn(data, 'name')
    const description = textIn(data, 'description')
    if (name === undefined || description === undefined) throw new Error(`it has no ${name === undefined ? 'name' : 'description'}`)
    if (!/^[\p{L}\p{N}][\p{L}\p{N} ._:-]{0,63}$/u.test(name))
      throw new Error(`${quoted(name)} is no name: letters, digits, dot, dash and the like, at most 64`)
    const more = data['metadata']
    const version = textIn(data, 'version') ?? (isRecord(more) ? textIn(more, 'version') : undefined)
    return {
      name,
      description: description.length > longestDescription ? `${description.slice(0, longestDescription)}…` : description,
      ...(version !== undefined && { version }),
      path: file.path,
      folder: dirname(file.path),
      where,
    }
  } catch (error) {
    problems.push({ path, reason: reasonOf(error) })
    return undefined
  }
}

function firstFiles(top: string, most: number): string[] {
  const found: string[] = []
  const look = (folder: string, depth: number): void => {
    for (const name of namesIn(folder)) {
      if (found.length >= most) return
      const path = join(folder, name)
      const stat = statOr(path)
      if (stat?.isDirectory() && depth < deepest && !passedOver.has(name) && realFolder(path) === path) look(path, depth + 1)
      else if (stat?.isFile() && path !== join(top, 'SKILL.md')) found.push(relative(top, path))
    }
  }
  look(top, 0)
  return found
}

function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync(path)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}

const statOr = (path: string): ReturnType<typeof statSync> => {
  try {
    return statSync(path)
  } catch {
    return undefined // a link that leads nowhere
  }
}
