// What another program's tool call needs to be allowed, in the words of our own rules: `bash`, `write`, `read` … whatever its tools are called.
import { resolve } from 'node:path'
import { isRecord } from '../base/json.ts'
import { shellWord, wordOf } from '../base/text.ts'
import { realPath } from '../files/real-path.ts'
import type { Event, EventOf, Place } from '../model/event.ts'
import type { ToolKind } from '../model/vocabulary.ts'
import type { Ask } from '../supervise/contract.ts'
import { namedIn, ofFiles } from './named.ts'

export type Wanted = { id: string; place: Place; name: string; toolKind: ToolKind; input: unknown }

type Need = Pick<Ask, 'permission' | 'patterns' | 'always' | 'command' | 'paths' | 'unread'>

/** `cwd`: where the agent works; paths it names are seen from there. */
export function askFor({ id, place, name, toolKind, input }: Wanted, profile: string, cwd: string): Ask {
  const need = needOf(name, toolKind, input, cwd)
  return { id, place, profile, name, toolKind, input, cwd, changes: !harmless.has(toolKind) || need.command !== undefined, ...need }
}

export type Asking = EventOf<'permission.request'> | EventOf<'question.request'>
export const isAsk = (event: Event): event is Asking => event.kind === 'permission.request' || event.kind === 'question.request'

/** What an agent asks with this event. */
export function askOf(event: Asking, profile: string, cwd: string): Ask {
  const { id, session, agent, turn, message, call } = event
  const place = { session, agent, turn, message, call }
  if (event.kind === 'question.request')
    return { ...askFor({ id, place, name: 'question', toolKind: 'question', input: undefined }, profile, cwd), questions: event.questions }
  const { name = event.permission ?? 'tool', toolKind = 'other', input } = event
  return askFor({ id, place, name, toolKind, input }, profile, cwd)
}

/** Kinds that change nothing outside the conversation. */
export const harmless: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search', 'think', 'plan', 'skill', 'question'])

type Fields = Readonly<Record<string, unknown>>
type Texts = (...keys: string[]) => string | undefined

const textsOf =
  (fields: Fields): Texts =>
  (...keys) =>
    keys.map((key) => fields[key]).find((value) => typeof value === 'string')

/** All that the input names is judged, whatever the kind of the call: the agent says that, and may be wrong. */
function needOf(name: string, kind: ToolKind, input: unknown, cwd: string): Need {
  const fields = isRecord(input) ? input : {}
  const text = textsOf(fields)
  const named = namedIn(input, kind)
  const said = shellIn(name, kind, fields)
  const command = commandOf(said)
  const folder = command === undefined ? undefined : text('cwd', 'workdir', 'directory')
  const at = resolve(cwd, folder ?? '.')
  const own = ownNeed(name, kind, text, command, named.files, cwd)
  const paths = new Set([...realOf([...named.files, ...named.places], cwd), ...(folder === undefined ? [] : [at])])
  const isUnknown = own === undefined && command === undefined && named.files.length === 0
  const isNoCommand = command === undefined && (said !== undefined || (kind === 'execute' && isEmpty(fields)))
  const unread = [
    ...((isUnknown || named.isUnread) && (ofFiles.has(kind) || ours.has(name)) ? ['external_directory', 'secret_file'] : []),
    ...(isNoCommand ? ['bash'] : []),
  ]
  return {
    ...(own ?? { permission: name, patterns: ['*'] }),
    ...(command !== undefined && { command: { text: command, cwd: at } }),
    ...(paths.size > 0 && { paths: [...paths] }),
    ...(unread.length > 0 && { unread }),
  }
}

const isEmpty = (fields: Fields): boolean => Object.values(fields).every((value) => value === undefined || value === null)

/** Names of rules that are allowed without being asked for: another program's tool of that name must not be so by its name alone. */
const ours: ReadonlySet<string> = new Set(['read', 'glob', 'grep', 'write', 'edit', 'bash', 'skill', 'todowrite', 'task'])

/** What the call itself is about. Undefined: nothing is known of it but its name. */
function ownNeed(
  name: string,
  kind: ToolKind,
  text: Texts,
  command: string | undefined,
  files: readonly string[],
  cwd: string,
): Need | undefined {
  switch (kind) {
    case 'execute':
      return command === undefined ? undefined : { permission: 'bash', patterns: [] }
    case 'read':
      return files.length === 0 ? undefined : { permission: 'read', patterns: bothOf(files, cwd) }
    case 'edit':
    case 'delete':
    case 'move':
      return files.length === 0 ? undefined : { permission: /write|create/i.test(name) ? 'write' : 'edit', patterns: bothOf(files, cwd) }
    case 'search': {
      const pattern = text('pattern', 'query', 'regex', 'glob')
      return pattern === undefined ? undefined : { permission: /glob|find/i.test(name) ? 'glob' : 'grep', patterns: [pattern] }
    }
    case 'fetch': {
      const url = text('url', 'uri')
      if (url !== undefined && URL.canParse(url)) {
        const { href, origin } = new URL(url)
        return { permission: 'webfetch', patterns: [href], ...(origin !== 'null' && { always: [`${origin}/*`] }) }
      }
      return { permission: 'websearch', patterns: [text('query') ?? '*'] }
    }
    case 'task':
      return { permission: 'task', patterns: [text('subagent_type', 'agent_type', 'agent') ?? '*'] }
    case 'skill':
      return { permission: 'skill', patterns: [text('skill', 'name', 'command') ?? '*'] }
    case 'plan':
      return { permission: 'todowrite', patterns: ['*'] }
    default:
      return undefined
  }
}

/** A rule must allow both the path that was said and the one that it leads to. */
const bothOf = (files: readonly string[], cwd: string): string[] => [
  ...new Set([...realOf(files, cwd), ...files.map((name) => resolve(cwd, name))]),
]
const realOf = (files: readonly string[], cwd: string): string[] => files.map((name) => realPath(resolve(cwd, name)))

const commandKeys: ReadonlySet<string> = new Set(['command', 'cmd', 'commandline', 'shellcommand'])
/** What editors call their own ways of working. */
const editorWords: ReadonlySet<unknown> = new Set(['view', 'create', 'str_replace', 'insert', 'undo_edit'])

/** A command that is named makes it a call of the shell. Not so where the word means something else. */
function shellIn(name: string, kind: ToolKind, fields: Fields): unknown {
  const all = Object.keys(fields).filter((key) => commandKeys.has(wordOf(key)) && (fields[key] ?? undefined) !== undefined)
  const texts = new Set(all.map((key) => JSON.stringify(fields[key])))
  const said = texts.size > 1 ? all.map((key) => ({ key })) : fields[all[0] ?? ''] // which of two that differ is run, nobody knows
  if (kind === 'execute') return said
  const isNetwork = name === 'network' && kind === 'fetch' // Codex asks about the host that a command wants to reach
  const isOther =
    kind === 'skill' || isNetwork || (kind === 'other' && name.startsWith('mcp_')) || (ofFiles.has(kind) && editorWords.has(said))
  return isOther ? undefined : said
}

/** A command line, or the words of one. */
function commandOf(command: unknown): string | undefined {
  if (typeof command === 'string') return scriptIn(command) ?? command
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return undefined
  const [shell = '', flag = '', script] = command
  if (command.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-\w*c$/.test(flag)) return script
  return command.map(shellWord).join(' ')
}

/** What `bash -lc 'SCRIPT'` runs, when the script is one word that no shell would change. */
function scriptIn(command: string): string | undefined {
  const word = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba|z|da)?sh -l?c (.+)$/s.exec(command)?.[1]
  if (word === undefined) return undefined
  let script = ''
  for (let rest = word; rest !== '';) {
    const piece = /^'([^']*)'|^"((?:[^"\\$`]|\\["\\$`])*)"|^([\w@%+=:,./-]+)|^\\([^\n])/.exec(rest)
    if (piece === null) return undefined
    const [whole, single, double, plain, escaped] = piece
    script += single ?? double?.replaceAll(/\\(.)/gs, '$1') ?? plain ?? escaped!
    rest = rest.slice(whole.length)
  }
  return script
}
