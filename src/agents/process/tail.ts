// The last bytes of a stream: an agent's stderr is kept for the day it fails, however much it says.
import type { Readable } from 'node:stream'
import type { Payload } from '../../model/event.ts'

export type Tail = {
  /** What was said last; cut at the front, at a whole line when there is one. */
  text(): string
  /** Bytes that came, also those that were forgotten. */
  bytes(): number
}

export function tailOf(stream: Readable, most = 64 * 1024): Tail {
  let kept: Buffer[] = []
  let size = 0
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    kept.push(chunk)
    size += chunk.length
    bytes += chunk.length
    if (size <= 2 * most) return
    kept = [Buffer.from(Buffer.concat(kept).subarray(-most))] // a copy: the rest can go
    size = most
  })
  return {
    text() {
      const last = Buffer.concat(kept).subarray(-most).toString()
      if (bytes <= most) return last
      return last.slice(last.indexOf('\n') + 1)
    },
    bytes: () => bytes,
  }
}

const shown = 4096

export function tailNotice(title: string, tail: Tail): Payload<'notice'> {
  const text = tail.text()
  const end = text.length > shown ? `…${text.slice(-shown)}` : text
  return { level: 'warn', code: 'stderr', text: `${title} wrote to stderr: ${end.trimEnd()}`, data: { bytes: tail.bytes(), text } }
}
