// Text from a stream is hostile: nothing of it reaches a terminal or a message unescaped.

// Control characters (C0, DEL, C1), line separators, bidirectional overrides and invisible marks, lone surrogates.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}/gu

/** The text with everything a terminal could act on written as \uXXXX. */
export const printable = (text: string): string => text.replace(unprintable, escapeUnit)

/** A value for a message: quoted, escaped, and cut to a length that fits on a line. */
export function quoted(value: unknown, longest = 60): string {
  const text = typeof value === 'string' ? value : String(value)
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return `"${printable(cut)}"`
}

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** "1 record", "2 records". */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
