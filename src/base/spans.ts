// Long texts of the line at hand, and where they stand in its bytes as JSON spells them: who writes such a text again copies the bytes
// and need not escape it. All is forgotten before the bytes change.

export type Span = { text: string; bytes: Uint8Array; start: number; end: number }

const none = new Uint8Array()
const spans: Span[] = Array.from({ length: 8 }, () => ({ text: '', bytes: none, start: 0, end: 0 }))
let count = 0

/** Between the quotes, and spelled as JSON.stringify would. */
export function keepSpan(text: string, bytes: Uint8Array, start: number, end: number): void {
  const span = spans[count]
  if (span === undefined) return
  count++
  span.text = text
  span.bytes = bytes
  span.start = start
  span.end = end
}

export function forgetSpans(): void {
  while (count > 0) spans[--count]!.text = '' // it may be long
}

/** Valid until more is read. */
export function spanOf(text: string): Span | undefined {
  for (let index = 0; index < count; index++) {
    const span = spans[index]!
    if (span.text.length === text.length && span.text === text) return span
  }
  return undefined
}
