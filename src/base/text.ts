// Text from a stream is hostile: nothing of it reaches a terminal or a message unescaped.

// Control characters (C0, DEL, C1), line separators, bidirectional overrides, invisible marks and tags, lone surrogates.
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu

/** The text with everything a terminal could act on written as \uXXXX. */
export const printable = (text: string): string => text.replace(unprintable, escapeUnit)

/** A value for a message: quoted, escaped, and cut to a length that fits on a line. */
export function quoted(value: unknown, longest = 60): string {
  const text = typeof value === 'string' ? value : String(value)
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return `"${printable(cut)}"`
}

function escapeUnit(unit: string): string {
  const code = unit.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}

/** "1 record", "2 records". */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
