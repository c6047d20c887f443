// What a tool call is about, in one line, whatever its agent calls the argument.
import { isRecord, type Rec, stringifyJson } from '../base/json.ts'
import { plural } from '../base/text.ts'
import type { ToolKind } from '../model/vocabulary.ts'

const commandKeys = ['command', 'cmd', 'script'] as const
const pathKeys = ['file_path', 'filePath', 'path', 'absolute_path', 'notebook_path', 'file', 'filename', 'dir_path'] as const
const otherKeys = ['pattern', 'query', 'url', 'description', 'prompt', 'name', 'skill', 'question', 'subject', 'title'] as const
const anyKeys = [...pathKeys, ...commandKeys, ...otherKeys] as const
const taskKeys = ['description', 'prompt'] as const
const searchKeys = ['pattern', 'query', 'glob'] as const
const listKeys = ['todos', 'plan', 'items'] as const
const entryKeys = ['content', 'step', 'description', 'title', 'text'] as const

export type Called = {
  toolKind: ToolKind
  title?: string | undefined
  input?: unknown
  paths?: readonly string[] | undefined
}

/** The shell command of a call that runs one. A list of words is joined; of `sh -c TEXT` only the text counts. */
export function commandOf({ toolKind, title, input }: Called): string | undefined {
  if (toolKind !== 'execute') return undefined
  if (typeof input === 'string' && input !== '') return input
  const value = isRecord(input) ? firstOf(input, commandKeys) : undefined
  if (Array.isArray(value)) return wordsOf(value)
  return typeof value === 'string' ? value : title
}

/** Whatever the tool: not every agent says that it runs a command. */
export const commandIn = ({ toolKind, input }: { toolKind?: ToolKind | undefined; input?: unknown }): string | undefined =>
  isRecord(input) || toolKind === 'execute' ? commandOf({ toolKind: 'execute', input }) : undefined

function wordsOf(words: readonly unknown[]): string {
  const texts = words.map(String)
  const [program = '', flag = ''] = texts
  return texts.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(program) && /^-l?c$/.test(flag) ? texts[2]! : texts.join(' ')
}

export function subjectOf(called: Called): string {
  const { title, input, paths = [], toolKind } = called
  const command = commandOf(called)
  if (command !== undefined) return command
  if (isRecord(input)) {
    const asked = listIn(input, 'questions')[0]?.['question']
    if (typeof asked === 'string') return asked
    const todos = todosIn(input)
    if (todos !== undefined) return plural(todos.length, 'item')
    const sought = toolKind === 'search' ? firstOf(input, searchKeys) : undefined
    const text = sought ?? firstOf(input, toolKind === 'task' ? taskKeys : anyKeys)
    if (typeof text === 'string' && text !== '') return text
  }
  if (title !== undefined && title !== '') return title
  if (paths.length > 0) return paths.join(' ')
  if (typeof input === 'string') return input
  return input === undefined || (isRecord(input) && Object.keys(input).length === 0) ? '' : stringifyJson(input)
}

/** The entries of a to-do list that a call writes, in the words of the model. */
export function todosIn(input: unknown): { text: string; status: 'pending' | 'active' | 'done' }[] | undefined {
  if (!isRecord(input)) return undefined
  const key = listKeys.find((one) => listIn(input, one).length > 0)
  if (key === undefined) return undefined
  const todos = listIn(input, key).flatMap((entry) => {
    const text = firstOf(entry, entryKeys)
    const status = entry['status']
    return typeof text !== 'string' || typeof status !== 'string'
      ? []
      : [{ text, status: /^(completed|done)$/.test(status) ? 'done' : /progress|active/.test(status) ? 'active' : 'pending' } as const]
  })
  return todos.length === 0 ? undefined : todos
}

const nothing: Rec[] = [] // never changed
function listIn(input: Rec, key: string): Rec[] {
  const value = Object.hasOwn(input, key) ? input[key] : undefined
  return Array.isArray(value) ? value.filter(isRecord) : nothing
}

function firstOf(input: Rec, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = Object.hasOwn(input, key) ? input[key] : undefined
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}
