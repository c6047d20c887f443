// Names and descriptions that servers choose, made fit for a model: a server may be careless or hostile.
import { createHash } from 'node:crypto'

const longest = 64
/** Permissions that are no tools: a rule about a tool of that name would be one about them. */
const permissions = ['external_directory', 'secret_file']

/** Gives each tool of each server a name that no other has, and the same one whenever it is asked again. */
export function createNames(reserved: readonly string[] = []): (server: string, tool: string) => string {
  const given = new Map<string, string>()
  const taken = new Set([...permissions, ...reserved])
  return (server, tool) => {
    const key = JSON.stringify([server, tool])
    const known = given.get(key)
    if (known !== undefined) return known
    const wanted = cut(`${sanitise(server)}_${sanitise(tool)}`, key)
    let name = wanted
    for (let count = 2; taken.has(name); count++) name = `${wanted.slice(0, longest - `_${count}`.length)}_${count}`
    taken.add(name)
    given.set(key, name)
    return name
  }
}

const sanitise = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_')

// Two long names that begin alike must not become one.
function cut(name: string, key: string): string {
  if (name.length <= longest) return name
  const tail = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return `${name.slice(0, longest - tail.length - 1)}_${tail}`
}

// What a person would not see and a model would read: control characters but tab and newline, bidirectional overrides, tags.
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu

/** The text without invisible characters, at most so many bytes long. */
export function tidy(text: string, bytes: number): string {
  const seen = text.slice(0, bytes).replace(unseen, '')
  if (Buffer.byteLength(seen) <= bytes && text.length <= bytes) return seen
  const room = Buffer.from(seen).subarray(0, bytes - 3)
  return `${room.toString().replace(/\ufffd+$/, '')}…`
}
