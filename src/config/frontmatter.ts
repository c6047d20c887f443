// The YAML between two lines of dashes at the head of a Markdown file, and what follows it.
import { DocumentError, readYaml } from '../base/document.ts'
import { isRecord, type Rec } from '../base/json.ts'

/** Every value in `data` is a text, a list or a mapping. Throws an Error whose message is the reason. */
export async function splitFrontmatter(text: string): Promise<{ data: Rec; body: string }> {
  const match = /^---[ \t]*\r?\n(?:([^]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text)
  if (match === null) throw new Error('it does not begin with a block between two lines of ---')
  const data = await readData(match[1] ?? '')
  if (!isRecord(data)) throw new Error('the block between the lines of --- is not a mapping')
  return { data, body: text.slice(match[0].length).trim() }
}

async function readData(yaml: string): Promise<unknown> {
  const read = async (text: string): Promise<unknown> => (await readYaml(text, { aliases: false, texts: true })).value
  try {
    return await read(yaml)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const repaired = yaml.replace(unquoted, (_, key: string, value: string) => `${key}: ${JSON.stringify(value)}`)
    if (repaired === yaml) throw new Error(`line ${error.line + 1}: ${error.message}`, { cause: error })
    return readData(repaired)
  }
}

// Many are written as if a value were plain text to its end: `description: Use it when: always`.
const unquoted = /^([A-Za-z][\w-]*):[ \t]+(?!["'|>[{])(.*?)[ \t\r]*$/gm

/** The text under a key; undefined when there is none. */
export function textIn(data: Rec, key: string): string | undefined {
  const value = Object.hasOwn(data, key) ? data[key] : undefined
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
