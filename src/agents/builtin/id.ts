// Ids that sort by the time they were made and never meet.
import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newId(prefix: string, now = Date.now()): string {
  const tail = Array.from(randomBytes(12), (byte) => alphabet[byte % alphabet.length]).join('')
  return `${prefix}_${now.toString(36).padStart(9, '0')}${tail}`
}
