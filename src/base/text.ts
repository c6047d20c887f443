// Text from a stream is hostile: nothing of it reaches a terminal or a message unescaped.

// Control characters (C0, DEL, C1), line separators, bidirectional overrides, invisible marks and tags, lone surrogates.
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu

/** The text with everything a terminal could act on written as \uXXXX. */
export const printable = (text: string): string => text.replace(unprintable, escapeUnit)

// All the others, and line breaks. A class that must hold from end to end is matched far faster than one that is looked for.
const printables =
  /^[\n\x20-\x7e\xa0-\xac\xae-\u061b\u061d-\u180d\u180f-\u200a\u2010-\u2027\u202f-\u205f\u2070-\udb3f\udb44-\ufefe\uff00-\ufff8\ufffc-\uffff]*$/

/** Line breaks aside, there is nothing in the text that `printable` would change. */
export const isPrintable = (text: string): boolean => printables.test(text) && text.isWellFormed()

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

/** Programs spell one key in many ways: lower case, without `_` and `-`. */
export const wordOf = (key: string): string => key.toLowerCase().replaceAll(/[_-]/g, '')

/** As a shell reads it back, whatever it holds. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)
