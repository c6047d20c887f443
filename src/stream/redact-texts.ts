// A record whose delta has another text by now.
import { isRecord, parseJson, stringifyJson } from '../base/json.ts'

/** A delta stands as it is under some key of its record, which is never that of a name. Undefined when none of the texts is there. */
export function withTexts(line: string, texts: ReadonlyMap<string, string>): string | undefined {
  let found = false
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      const text = isName.test(key) ? undefined : texts.get(value)
      found ||= text !== undefined
      return text ?? value
    }
    if (Array.isArray(value)) return value.map((item) => walk(item, key))
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name)])) : value
  }
  const walked = walk(parseJson(line), '')
  return found ? stringifyJson(walked) : undefined
}

const isName = /^(?:type|event|kind|role|status|state|name|method|model|of|stream)$|id$/i
