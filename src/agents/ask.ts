// What another program's tool call needs to be allowed, in the words of our own rules: `bash`, `write`, `read` … whatever its tools are called.
import { resolve } from 'node:path'
import { isRecord } from '../base/json.ts'
import { realPath } from '../files/real-path.ts'
import type { Place } from '../model/event.ts'
import type { ToolKind } from '../model/vocabulary.ts'
import type { Ask } from '../supervise/contract.ts'

export type Wanted = { id: string; place: Place; name: string; toolKind: ToolKind; input: unknown }

type Need = Pick<Ask, 'permission' | 'patterns' | 'always' | 'command' | 'paths'>

/** `cwd`: where the agent works; paths it names are seen from there. */
export function askFor({ id, place, name, toolKind, input }: Wanted, profile: string, cwd: string): Ask {
  const fields = isRecord(input) ? input : {}
  const text = (...keys: string[]): string | undefined => keys.map((key) => fields[key]).find((value) => typeof value === 'string')
  return { id, place, profile, name, toolKind, input, changes: !harmless.has(toolKind), ...needOf(name, toolKind, text, fields, cwd) }
}

/** Kinds that change nothing outside the conversation. */
const harmless: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search', 'think', 'plan', 'skill', 'question'])

type Texts = (...keys: string[]) => string | undefined

function needOf(name: string, kind: ToolKind, text: Texts, fields: Readonly<Record<string, unknown>>, cwd: string): Need {
  const named = text('file_path', 'notebook_path', 'path', 'filePath', 'abs_path')
  const file = filesOf(named === undefined ? changedIn(fields['changes']) : [named], cwd)
  const folder = text('cwd', 'workdir', 'directory')
  switch (kind) {
    case 'execute': {
      const command = commandOf(fields['command'] ?? fields['cmd'])
      if (command === undefined) break
      const at = folder === undefined ? cwd : resolve(cwd, folder)
      return { permission: 'bash', patterns: [], command: { text: command, cwd: at }, ...(folder !== undefined && { paths: [at] }) }
    }
    case 'read':
      if (file !== undefined) return { permission: 'read', ...file }
      break
    case 'edit':
    case 'delete':
    case 'move':
      if (file !== undefined) return { permission: /write|create/i.test(name) ? 'write' : 'edit', ...file }
      break
    case 'search': {
      const pattern = text('pattern', 'query', 'regex', 'glob')
      if (pattern === undefined) break
      return {
        permission: /glob|find/i.test(name) ? 'glob' : 'grep',
        patterns: [pattern],
        ...(file !== undefined && { paths: file.paths }),
      }
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
  }
  // Nothing is known of it but its name, and perhaps a file.
  return { permission: name, patterns: ['*'], ...(file !== undefined && { paths: file.paths }) }
}

/** The files of a patch: each that it touches, and where it moves them. */
function changedIn(changes: unknown): string[] {
  const list = Array.isArray(changes) ? (changes as unknown[]) : []
  return list.flatMap((change) => {
    const { path, kind } = isRecord(change) ? change : {}
    return [path, isRecord(kind) ? kind['move_path'] : undefined].filter((name) => typeof name === 'string')
  })
}

/** A rule must allow both the path that was said and the one that it leads to. */
function filesOf(names: readonly string[], cwd: string): { patterns: string[]; paths: string[] } | undefined {
  if (names.length === 0) return undefined
  const said = names.map((name) => resolve(cwd, name))
  const real = said.map((name) => realPath(name))
  return { patterns: [...new Set([...real, ...said])], paths: [...new Set(real)] }
}

/** A command line, or the words of one. */
function commandOf(command: unknown): string | undefined {
  if (typeof command === 'string') return scriptIn(command) ?? command
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return undefined
  const [shell = '', flag = '', script] = command
  if (command.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-\w*c$/.test(flag)) return script
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ')
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
