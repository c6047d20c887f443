// sluice trust: shows what the files of a project would grant, and keeps their hashes once somebody has agreed.
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { plural, quoted } from '../base/text.ts'
import { readAgents } from '../config/agents.ts'
import { isInside, type Places, placesOf, shortPath } from '../config/places.ts'
import { readText, SettingsError } from '../config/read.ts'
import { projectFiles } from '../config/settings.ts'
import type { Settings } from '../config/shape.ts'
import { profileText, wishesOf } from '../config/tighten.ts'
import { isTrusted, readTrust, type Trust, writeTrust } from '../config/trust.ts'
import { CommandError, exitCodes, say, systemReason, usageError } from './exit.ts'
import { print } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { placesAt } from './places-at.ts'

export const spec: CommandSpec = {
  usage: 'sluice trust [DIR] [options]',
  about: `Shows what the settings and the agents (.claude/agents) of a project would allow, asks you, and trusts these files as they are now.
Files that are not trusted, or that changed later, can only restrict: deny, ask, and lower limits. Without DIR it uses the working folder.`,
  options: {
    yes: { type: 'boolean', help: 'agree without a question' },
    list: { type: 'boolean', help: 'list the trusted files, and which of them have changed' },
    revoke: { type: 'boolean', help: 'stop trusting the project' },
  },
  examples: [
    ['sluice trust', 'look at the settings, then answer yes or no'],
    ['sluice trust ~/src/app --yes', 'in a script, for a project that you know'],
    ['sluice trust --revoke', 'take the trust back'],
  ],
  exits: ['0  success', '1  you did not agree, or the list cannot be written', '2  wrong usage, an invalid file, or no terminal to ask on'],
}

type Candidate = { path: string; hash: string; kind: string; grants: string[]; tightens: number }

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const [folder = '.'] = files
  if (folder === '') throw usageError('DIR is empty; leave it out for the folder you are in')
  if (files.length > 1) throw usageError(`one DIR is enough; ${quoted(files[1])} is too many`)
  if (values['list'] === true && (values['revoke'] === true || values['yes'] === true || files.length > 0))
    throw usageError('--list takes nothing else: it lists all that is trusted')
  try {
    if (values['list'] === true) return list()
    return values['revoke'] === true ? await revoke(folder) : await agree(placesAt(folder), values['yes'] === true)
  } catch (error) {
    throw error instanceof SettingsError ? usageError(error.message) : error
  }
}

// ── agreeing ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function agree(places: Places, isAgreed: boolean): Promise<number> {
  const { home, root, stateFolder } = places
  const trust = readTrust(stateFolder)
  const all = await candidatesIn(places)
  const open = all.filter((file) => !isTrusted(trust, file))
  if (open.length === 0) {
    say(
      `${quoted(shortPath(root, home), 500)} has ${all.length === 0 ? 'no settings and no agents of its own' : 'nothing that is not trusted'}`,
    )
    return exitCodes.ok
  }
  for (const file of open) tell(file, trust.has(file.path), home)
  if (!isAgreed) {
    if (!process.stdin.isTTY || !process.stderr.isTTY) throw usageError('nobody can be asked here; when you have read the above, say --yes')
    if (
      !(await isYes(
        open.length === 1 ? 'Trust this file as it is now? [y/N] ' : `Trust these ${open.length} files as they are now? [y/N] `,
      ))
    ) {
      say('nothing has changed')
      return exitCodes.failed
    }
  }
  // What was read and shown is what is trusted, whatever stands in the files by now.
  await save(stateFolder, new Map([...trust, ...open.map(({ path, hash }) => [path, hash] as const)]))
  say(`${plural(open.length, 'file')} trusted, until ${open.length === 1 ? 'it changes' : 'they change'}`)
  return exitCodes.ok
}

async function candidatesIn(places: Places): Promise<Candidate[]> {
  const [settings, { agents, problems }] = await Promise.all([projectFiles(places), readAgents(places)])
  for (const { path, reason } of problems) if (isInside(path, places.root)) say(`sluice: ${quoted(path, 500)}: ${reason}`)
  return [
    ...settings.map(({ path, hash, settings: own }) => ({ path, hash, kind: 'settings', ...split(own) })),
    ...agents
      .filter(({ where }) => where === 'project')
      .map(({ path, hash, profile }) => ({
        path,
        hash,
        kind: 'an agent',
        grants: [`profile ${profile.name}: ${profileText(profile)}`],
        tightens: 0,
      })),
  ]
}

/** What grants something comes first and whole: nobody should have to find it among the rest. */
function split(settings: Settings): Pick<Candidate, 'grants' | 'tightens'> {
  const allowing = settings.rules.filter(({ action }) => action === 'allow')
  return { grants: wishesOf({ ...settings, rules: allowing }), tightens: settings.rules.length - allowing.length }
}

function tell({ path, kind, grants, tightens }: Candidate, isChanged: boolean, home: string): void {
  say(`${quoted(shortPath(path, home), 500)} (${kind}${isChanged ? ', changed since it was trusted' : ''})`)
  for (const grant of grants) say(`  ${grant}`)
  if (grants.length === 0) say('  grants nothing')
  if (tightens > 0) say(`  and ${plural(tightens, 'rule')} to ask or deny`)
}

async function isYes(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const closed = new Promise<string>((done) => lines.once('close', () => done('')))
    return /^y(es)?$/i.test((await Promise.race([lines.question(question), closed])).trim())
  } finally {
    lines.close()
  }
}

async function save(stateFolder: string, trust: Trust): Promise<void> {
  try {
    await writeTrust(stateFolder, trust)
  } catch (error) {
    throw new CommandError(`cannot write the list of trusted files: ${systemReason(error)}`, exitCodes.failed, { cause: error })
  }
}

// ── what is trusted ──────────────────────────────────────────────────────────────────────────────────────────────────────

function list(): number {
  const { stateFolder } = placesAt('.')
  const lines = [...readTrust(stateFolder)].map(([path, hash]) => `${stateOf(path, hash).padEnd(8)} ${path}\n`)
  print(lines.join(''))
  return exitCodes.ok
}

function stateOf(path: string, hash: string): string {
  try {
    const file = readText(path, { most: 2 ** 20 })
    return file === undefined ? 'gone' : file.path === path && file.hash === hash ? 'trusted' : 'changed'
  } catch {
    return 'changed'
  }
}

/** Also of a folder that is gone. */
async function revoke(folder: string): Promise<number> {
  const path = resolve(folder)
  const { stateFolder } = placesAt('.')
  const root = existsSync(path) ? placesOf(realpathSync(path)).root : path
  const trust = readTrust(stateFolder)
  const kept = new Map([...trust].filter(([file]) => !isInside(file, root)))
  if (kept.size < trust.size) await save(stateFolder, kept)
  say(`${plural(trust.size - kept.size, 'file')} of ${quoted(root, 500)} no longer trusted`)
  return exitCodes.ok
}
