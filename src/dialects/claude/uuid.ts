// Ids for records that we write: shaped like UUIDs, and the same whenever the same stream is written again.

export function uuidFor(session: string, count: number, space = ''): string {
  const row = Math.floor(count / 16)
  if (row !== last.row || session !== last.session || space !== last.space) last = { session, space, row, ids: rowOf(session, space, row) }
  const at = (count % 16) * 36
  return last.ids.slice(at, at + 36)
}

export const isUuid = (id: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)

// Records of one session come in runs. Sixteen ids are made in one piece, of which each is a part: a text that is put together for itself
// must be copied once more when it is written.
let last = { session: '', space: '', row: -1, ids: '' }
const ends = ['', ...Array.from({ length: 16 }, (_, digit) => hex(digit, 1))]
const rowOf = (session: string, space: string, row: number): string => ends.join([prefixOf(session, space), hex(row, 11)].join('-'))

function prefixOf(session: string, space: string): string {
  const [a, b] = [hash(session, 0x811c9dc5), hash(space + session, 0x01000193)]
  return `${hex(a, 8)}-${hex(b >>> 16, 4)}-4${hex(b & 0xfff, 3)}-8${hex(a >>> 20, 3)}`
}

/** FNV-1a, 32 bits. */
function hash(text: string, seed: number): number {
  let sum = seed
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  return sum >>> 0
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
