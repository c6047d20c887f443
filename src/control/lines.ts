// Lines out of chunks of bytes. A line that is over the limit ends it all: whoever sends one cannot be followed any more.

/** Gives every whole line; after `tooLong` nothing more. */
export function createLines(longest: number, line: (text: string) => void, tooLong: () => void): (chunk: Uint8Array) => void {
  let parts: Uint8Array[] = []
  let size = 0
  let isOver = false

  function take(part: Uint8Array): void {
    size += part.length
    isOver = size > longest
    if (!isOver) parts.push(part)
  }
  function whole(): void {
    const text = Buffer.concat(parts).toString()
    parts = []
    size = 0
    if (text.trim() !== '') line(text)
  }

  return (chunk) => {
    for (let at = 0; at < chunk.length && !isOver;) {
      const stop = chunk.indexOf(0x0a, at)
      take(chunk.subarray(at, stop === -1 ? chunk.length : stop))
      if (isOver) return ((parts = []), tooLong())
      if (stop === -1) return
      whole()
      at = stop + 1
    }
  }
}
