// The one door between an agent's text and a terminal. Escape sequences, control characters, bidirectional overrides, hyperlinks
// and invisible marks come out as visible \uXXXX; only line breaks and tabs keep their meaning, and tabs as spaces.
import { printable } from '../base/text.ts'

/** Text that goes on one line. */
export const harmlessLine = (text: string): string => (plain.test(text) ? text : printable(text.replace(/[\r\n\t\v\f\u2028\u2029]+/g, ' ')))

/** Text of several lines; each is harmless, none ends in a carriage return. */
export const harmlessLines = (text: string): string[] => text.split('\n').map(harmlessPart)

export const harmless = (text: string): string => (plain.test(text) ? text : harmlessLines(text).join('\n'))

const plain = /^[\x20-\x7e]*$/

function harmlessPart(line: string): string {
  if (plain.test(line)) return line
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line
  return printable(whole.includes('\t') ? whole.replaceAll('\t', '    ') : whole)
}
