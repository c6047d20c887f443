// The one door between an agent's text and a terminal. Escape sequences, control characters, bidirectional overrides, hyperlinks
// and invisible marks come out as visible \uXXXX; only line breaks and tabs keep their meaning, and tabs as spaces.
import { isPrintable, printable } from '../base/text.ts'

const plain = /^[\x20-\x7e]*$/ // as most text is

// What joins emoji or Indic letters, or keeps Persian ones apart, belongs to the text. Beside a Latin letter it only hides.
const joiner = /(?<=[^\0-\u02ff\u200b-\u200f])([\u200c\u200d])(?=[^\0-\u02ff\u200b-\u200f])/u

const shown = (text: string): string =>
  text
    .split(joiner)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('')

/** Text that goes on one line. */
export const harmlessLine = (text: string): string =>
  plain.test(text) || (isPrintable(text) && !text.includes('\n')) ? text : shown(text.replace(/[\r\n\t\v\f\u2028\u2029]+/g, ' '))

/** Text of several lines; each is harmless, none ends in a carriage return. */
export const harmlessLines = (text: string): string[] => harmless(text).split('\n')

export function harmless(text: string): string {
  if (isPrintable(text)) return text
  const spaced = text.replaceAll('\t', '    ').replaceAll('\r\n', '\n')
  return isPrintable(spaced) ? spaced : text.split('\n').map(harmlessPart).join('\n')
}

function harmlessPart(line: string): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line
  return shown(whole.includes('\t') ? whole.replaceAll('\t', '    ') : whole)
}
