// What a question is about, for our rules. Some agents do not tell the input of the call but what a person is to read: then the title of
// a command is the command, and the one place that a call names is its file.
import { isRecord, type Rec } from '../../base/json.ts'
import { messageOf } from '../../dialects/acp/message.ts'
import type { ToolKind } from '../../model/vocabulary.ts'

const ofFiles: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'edit', 'delete', 'move'])
const pathKeys = ['file_path', 'notebook_path', 'path', 'filePath', 'abs_path']

/** `input`: as it was told. Several places are left out, for a rule about the first must not speak for the rest. */
export function askedInput(record: Rec, kind: ToolKind | undefined, input: unknown): unknown {
  const { params } = messageOf(record)
  const call = isRecord(params) && isRecord(params['toolCall']) ? params['toolCall'] : {}
  const fields = isRecord(input) ? input : {}
  if (kind === 'execute' && input === undefined && typeof call['title'] === 'string')
    return { command: call['title'], ...folderIn(call['content']) }
  if (kind === undefined || !ofFiles.has(kind) || pathKeys.some((key) => typeof fields[key] === 'string')) return input
  const paths = new Set([...placesIn(call['locations']), ...placesIn(call['content'])])
  return paths.size === 1 ? { ...fields, path: [...paths][0] } : input
}

/** Of locations, and of the differences that are shown. */
const placesIn = (list: unknown): string[] =>
  (Array.isArray(list) ? list : []).flatMap((one: unknown) => (isRecord(one) && typeof one['path'] === 'string' ? [one['path']] : []))

/** Gemini says where a command would run in words of its own. */
function folderIn(content: unknown): { cwd?: string } {
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  const text = isRecord(first) && isRecord(first['content']) ? first['content']['text'] : undefined
  const cwd = typeof text === 'string' ? /^\[current working directory (\/[^\]\n]*)\]/.exec(text)?.[1] : undefined
  return cwd === undefined ? {} : { cwd }
}
