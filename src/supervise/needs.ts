// What an ask needs to be allowed, one by one: the call itself, each simple command of a shell command, paths outside the project, secrets.
import type { Ask, PermissionRule } from './contract.ts'
import { besideCommand } from './input-command.ts'
import { inputReach } from './input-reach.ts'
import { isAbout, judge, judgeDoubted, judgeLine, judgeReach, judgeUnknown, type Judgement, matches } from './rules.ts'
import { isMadeForSecret, isSecretFile } from './secrets.ts'
import { openedLater, reachedLater } from './later-paths.ts'
import { isDevice, isWithin, parent, tidy } from './shell-paths.ts'
import { expandGlob } from './shell-glob.ts'
import { analyse, type PathUse, type SimpleCommand } from './shell.ts'
import { alwaysPattern } from './shell-always.ts'
import { maySteer, steeringNames, steersRuns } from './shell-steers.ts'

/** The ground that the rules speak of. All folders are absolute, with links resolved. */
export type Scene = {
  root: string
  home: string
  /** Folders beside the project that need no leave: kept outputs. Secrets in them do, as everywhere. */
  folders?: readonly string[]
  /** The same for calls that change nothing: skills. */
  readable?: readonly string[]
  /** Files by which the run itself is steered: its socket, its questions, the word that it is over. They count as secrets. */
  guarded?: readonly string[]
  /** Where a path without `..` really leads, as far as it exists. */
  realPath(path: string): string
  /** The names in a folder, to see what a pattern of the shell stands for. Without it, a pattern counts for all that it may be. */
  list?(folder: string): readonly string[]
}

export type Need = {
  permission: string
  /** What rules are matched against and people are shown. */
  pattern: string
  /** What an "always" would allow; undefined: this can be allowed only once. */
  always: string | undefined
  /** Why it is asked about beside what its pattern says. */
  why?: string
  /** Nothing is told of it unless a rule stands against it. */
  quiet?: true
  judge(rules: readonly PermissionRule[]): Judgement
}

/** What no rule can allow. */
export type Refusal = { invalid: string }

export function needsOf(ask: Ask, scene: Scene): Need[] | Refusal {
  const ground: Ground = { ...scene, folders: [...(scene.folders ?? []), ...(ask.changes ? [] : (scene.readable ?? []))] }
  const own = [...ownNeeds(ask, scene), ...toolNeed(ask), ...inputNeeds(ask, ground)]
  const paths = (ask.paths ?? []).map(plainUse)
  if (ask.command === undefined) return unique([...own, ...pathNeeds(paths, ground, ask.changes ? 'changed' : 'read')])
  const { text, cwd } = ask.command
  const { commands, unknown, invalid, ...said } = analyse(text, cwd, scene.home)
  if (invalid !== undefined) return { invalid }
  const beside = besideCommand(ask, text, cwd, scene.home, commands)
  const opaque = said.opaque ?? beside.doubt

  const isAllFree = commands.every((command) => command.free === true)
  const isUnread = opaque !== undefined || commands.some(({ doubt }) => doubt !== undefined)
  const needs = commands.map((command) => commandNeed('bash', command, !isAllFree && opaque === undefined))
  if (opaque !== undefined || commands.length === 0)
    needs.push({ ...unknownNeed('bash', text), ...(opaque !== undefined && { why: opaque }) })
  const line = text.trim()
  const byLine = needs.map((need) => ({
    ...need,
    judge: (rules: readonly PermissionRule[]) => judgeLine(rules, 'bash', line, need.judge(rules)),
  }))
  const all = [said, ...beside.folders.map((folder) => analyse(text, folder, scene.home))]
  const named: PathUse[] = [
    ...paths,
    ...[cwd, ...beside.folders].map((path) => ({ path, glob: false, moved: true })),
    ...all.flatMap((one) => one.paths),
  ]
  const writes = all.flatMap((one) => one.writes)
  const files = [...pathNeeds(named, ground, 'named', said.dashed), ...pathNeeds(writes.map(plainUse), ground, 'changed')]
  const isFound = (name: string): boolean => files.some(({ permission, pattern }) => permission === 'secret_file' && pattern.endsWith(name))
  const steering = commands.filter(steersRuns)
  return unique([
    ...own,
    ...byLine,
    ...steering.map((command) => unknownNeed('control_run', command.text)),
    ...(steering.length === 0 && isUnread && maySteer(text) ? [unknownNeed('control_run', text)] : []),
    ...writes.map((path) => plainNeed('write', realOf(path, scene), scene)),
    ...files,
    ...steeringNames(text, scene.guarded).flatMap((name) => (isFound(name) ? [] : unknownNeed('secret_file', name))),
    ...unknown.map(unknownPathNeed),
    ...[...openedLater(commands, text), ...reachedLater(commands, [...writes, ...said.reads])].map((word) => ({
      ...unknownNeed('external_directory', word),
      why: 'an earlier part of the line may bring a link to it; make two calls of it',
    })),
  ])
}

const plainUse = (path: string): PathUse => ({ path, glob: false })

/** It may lead to any file. */
const anywhere = (word: string): Need[] => ['external_directory', 'secret_file'].map((permission) => unknownNeed(permission, word))

/** A path that only the run knows. It may lead outside or to a secret: who has opened both, or this, is not asked. */
const unknownPathNeed = (word: string): Need => ({
  permission: 'unknown_path',
  pattern: word,
  always: undefined,
  why: 'the path is known only when the command runs',
  judge(rules) {
    const own = judgeUnknown(rules, 'unknown_path', word)
    const isOwn = own.rule !== undefined && own.rule.permission !== '*'
    const guards = ['external_directory', 'secret_file'].map((permission) => judgeUnknown(rules, permission, word))
    if (own.action === 'deny' || (isOwn && own.action === 'allow')) return own
    return guards.find(({ action }) => action === 'deny') ?? (guards.every(({ action }) => action === 'allow') ? guards[0]! : own)
  },
})

/** What the input of a call about files leads to beside the paths that were found in it. */
function inputNeeds(ask: Ask, ground: Ground): Need[] {
  const { paths, unknown, secrets, patched } = inputReach(ask, ask.cwd ?? ground.root, ground.home)
  return [
    ...patched.map((path) => plainNeed(ask.permission, realOf(path, ground), ground)),
    ...pathNeeds([...paths, ...patched].map(plainUse), ground, ask.changes ? 'changed' : 'read'),
    ...unknown.flatMap(anywhere),
    ...secrets.map((pattern) => unknownNeed('secret_file', pattern)),
  ]
}

/** A call that is judged by what it does is judged by its name as well, where a rule names it: `s_read=deny` holds for `mcp__s__read`. */
function toolNeed({ name, permission }: Ask): Need[] {
  if (name === permission) return []
  const isItsOwn = (rule: PermissionRule): boolean => rule.pattern === '*' && isAbout(rule, name) && !isAbout(rule, permission)
  return [
    {
      permission: name,
      pattern: '*',
      always: '*',
      quiet: true,
      judge(rules) {
        const rule = rules.findLast((one) => one.pattern === '*' && isAbout(one, name))
        return rule !== undefined && isItsOwn(rule) ? { action: rule.action, rule } : { action: 'allow' }
      },
    },
  ]
}

/** Of a call that could not be read, nothing is known but its name. */
function ownNeeds({ permission, patterns, always, unread = [] }: Ask, scene: Scene): Need[] {
  const isUnread = (pattern: string): boolean => unread.length > 0 && pattern === '*'
  return [
    ...patterns.map((pattern, index) =>
      isUnread(pattern) ? unknownNeed(permission, pattern) : plainNeed(permission, pattern, scene, always?.[index] ?? pattern),
    ),
    ...unread.map((name) => unknownNeed(name, '*')),
  ]
}

/** As one call sees it. */
type Ground = Scene & { folders: readonly string[] }

/** A path is matched as it is and as it stands in the project, so that `write:src/*` means what it says. */
function plainNeed(permission: string, pattern: string, scene: Scene, always: string | undefined = pattern): Need {
  const spellings = isWithin(pattern, scene.root) && pattern !== scene.root ? [pattern, pattern.slice(scene.root.length + 1)] : [pattern]
  const isFor = permission === 'webfetch' ? isForAddress(pattern) : () => true
  return { permission, pattern, always, judge: (rules) => judge(rules.filter(isFor), permission, spellings, scene.home) }
}

/** What a rule allows, it allows at the hosts it names: a star in a host's place must not reach into the path of another one. */
const isForAddress =
  (address: string) =>
  ({ pattern, action }: PermissionRule): boolean =>
    action !== 'allow' || hostsOf(pattern).every((host) => matches(host, hostsOf(address)[0] ?? ''))

/** What stands between `://` and the next slash; none in a pattern that names no host. */
const hostsOf = (address: string): string[] => /^[^/]*:\/\/([^/?#]*)/.exec(address)?.slice(1) ?? []

const unknownNeed = (permission: string, word: string): Need => ({
  permission,
  pattern: word,
  always: undefined,
  judge: (rules) => judgeUnknown(rules, permission, word),
})

/** A rule for the program by its own name says no less than one that came before, for this spelling of it. */
const isLater = (rules: readonly PermissionRule[], one: Judgement, other: Judgement): boolean =>
  one.rule !== undefined && other.rule !== undefined && rules.indexOf(one.rule) > rules.indexOf(other.rule)

/** A harmless builtin is allowed beside another command, unless a rule says something of it. */
function commandNeed(permission: string, command: SimpleCommand, isCarried: boolean): Need {
  const { text, reach, alias, free, doubt } = command
  return {
    permission,
    pattern: text,
    always: alwaysPattern(command),
    ...(doubt !== undefined && { why: doubt }),
    judge(rules) {
      const known = reach === undefined ? judge(rules, permission, text) : judgeReach(rules, permission, text, reach)
      const said = doubt === undefined || known.action !== 'allow' ? known : judgeDoubted(rules, permission, text)
      const other = alias === undefined ? said : judge(rules, permission, alias)
      if (other.action === 'deny' || (other.action === 'ask' && isLater(rules, other, said))) return other
      const isLeftOpen = said.action === 'ask' && (said.rule === undefined || said.rule.pattern === '*')
      return isLeftOpen && free === true && isCarried ? { ...said, action: 'allow' } : said
    },
  }
}

/** `named`: a command may do anything with it. `moved`: and may put something in its place. */
type Use = 'read' | 'named' | 'moved' | 'changed'

/** `isDashed`: a file with a dash may be there by then. */
function pathNeeds(paths: readonly PathUse[], scene: Ground, use: Use, isDashed = false): Need[] {
  const needs: Need[] = []
  for (const { path, glob, moved, loose, runs } of paths) {
    if (runs !== undefined && scene.list?.(path).length)
      needs.push({
        ...unknownNeed('bash', runs),
        why: 'hooks of that folder would run',
        judge: (rules) => judgeDoubted(rules, 'bash', runs),
      })
    const ownUse = moved === true ? 'moved' : use
    const files = !glob ? [path] : scene.list === undefined ? undefined : expandGlob(path, scene.list)
    for (const file of files ?? []) needs.push(...fileNeeds(file, scene, ownUse))
    if (files === undefined || isMadeLater(path, files)) needs.push(...globNeeds(path, scene, ownUse))
    if (!glob && isMadeForSecret(path)) needs.push(unknownNeed('secret_file', path))
    const option = loose === undefined ? undefined : isDashed ? path : files?.find((file) => file.startsWith('-', loose))
    if (option !== undefined) needs.push(unknownNeed('bash', option))
  }
  return needs
}

/** A pattern with a `..` that stands for nothing yet: the folder before it may be made by the same command. */
const isMadeLater = (pattern: string, files: readonly string[]): boolean => files.length === 0 && /\/\.\.(\/|$)/.test(pattern)

function fileNeeds(path: string, scene: Ground, use: Use): Need[] {
  const real = realOf(path, scene)
  if (isDevice(real) || isDevice(path)) return []
  const shown = tidy(path)
  const isFree =
    scene.folders.some((folder) => isWithin(real, folder)) ||
    (isWithin(real, scene.root) && ![real, shown].some((spelling) => isOfGit(spelling, use) || isOfBareRepository(spelling, use, scene)))
  const needs: Need[] = []
  if (!isFree) needs.push(plainNeed('external_directory', real, scene, neighbours(real, scene)))
  const isGuarded = [real, shown].some((spelling) => scene.guarded?.includes(spelling) === true)
  if (isGuarded || isSecretFile(real) || isSecretFile(shown)) needs.push(plainNeed('secret_file', real, scene))
  return needs
}

/** What git keeps for itself is not of the project: whoever writes there makes an allowed `git status` run anything. */
function isOfGit(path: string, use: Use): boolean {
  if (use === 'read') return false
  if (use === 'moved' && /\/\.git$/i.test(path)) return true
  return use === 'changed'
    ? /\/\.git(\/|$)/i.test(path)
    : /\/\.git\/(config|config\.worktree|commondir|gitdir|hooks|info\/attributes|modules\/.+|rebase-(merge|apply)\/git-rebase-todo|worktrees\/.+)(\/|$)/i.test(
        path,
      )
}

/**
 * A folder with `HEAD`, `objects` and `refs` is a repository without being called `.git`, and its settings name programs. None is one without
 * its `HEAD`; in one that is there, settings and hooks count. Letters in capitals are the same to some file systems.
 */
function isOfBareRepository(path: string, use: Use, { list }: Scene): boolean {
  if (use !== 'changed' && use !== 'moved') return false
  const [, folder = '', name = ''] = /^(.*)\/([^/]+)$/s.exec(path) ?? []
  if (/^head$/i.test(name)) return true
  const home = /^(.*)\/hooks$/i.exec(folder)?.[1] ?? (/^(config|config\.worktree|commondir|gitdir|hooks)$/i.test(name) ? folder : undefined)
  return home !== undefined && list?.(home).some((one) => /^head$/i.test(one)) === true
}

/** "Always" is for the folder of a file, unless that is one that holds everything. */
function neighbours(path: string, { home, root }: Scene): string {
  const folder = parent(path)
  return [home, root].some((one) => isWithin(one, folder)) || isWithin(path, root) ? path : `${folder}/*`
}

/** Of a pattern whose files are not known: the folder before its first wildcard, and any secret that it may stand for. */
function globNeeds(pattern: string, scene: Ground, use: Use): Need[] {
  const fixed = parent(pattern.slice(0, pattern.search(/[*?[]/)))
  const needs = /\/\.\.(\/|$)/.test(pattern.slice(fixed.length))
    ? [unknownNeed('external_directory', pattern)]
    : fileNeeds(fixed, scene, use)
  return isSecretFile(pattern, true) ? [...needs, unknownNeed('secret_file', pattern)] : needs
}

/** Follows links before each `..`, as the system does. What leads through /proc is left as it is: nobody else can say where it ends. */
function realOf(path: string, scene: Scene): string {
  let at = ''
  const segments = path.split('/')
  for (const [index, segment] of segments.entries()) {
    if (segment === '..') {
      const real = scene.realPath(at === '' ? '/' : at)
      if (real.startsWith('/proc/')) return [real, ...segments.slice(index)].join('/')
      at = parent(real).replace(/^\/$/, '')
    } else if (segment !== '' && segment !== '.') at += `/${segment}`
  }
  return scene.realPath(at === '' ? '/' : at)
}

/** Of two needs that read alike the stricter judgement holds. */
function unique(needs: readonly Need[]): Need[] {
  const found = new Map<string, Need>()
  for (const need of needs) {
    const key = `${need.permission}\0${need.pattern}`
    const twin = found.get(key)
    found.set(key, twin === undefined ? need : { ...need, judge: (rules) => stricter(twin.judge(rules), need.judge(rules)) })
  }
  return [...found.values()]
}

const severity = { allow: 0, ask: 1, deny: 2 }
const stricter = (a: Judgement, b: Judgement): Judgement => (severity[b.action] > severity[a.action] ? b : a)
