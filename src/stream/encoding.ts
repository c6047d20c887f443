// What bytes are that are no UTF-8, by the first of them: why no record is found in a stream.

export type Encoding = 'gzip' | 'zstd' | 'UTF-16LE' | 'UTF-16BE'

const marks: readonly [Encoding, readonly number[]][] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['UTF-16LE', [0xff, 0xfe]],
  ['UTF-16BE', [0xfe, 0xff]],
]

/** So many bytes are looked at where there is no mark. */
const most = 16
const least = 4

/** However the first bytes are cut. */
export function createEncodingLook() {
  const head: number[] = []
  return {
    push(chunk: Uint8Array): void {
      if (head.length < most) head.push(...chunk.subarray(0, most - head.length))
    },
    encoding: (): Encoding | undefined =>
      marks.find(([, mark]) => mark.every((byte, index) => head[index] === byte))?.[0] ?? wideAscii(head),
  }
}

/** JSON begins with ASCII: in UTF-16 every second byte of it is NUL. */
function wideAscii(head: readonly number[]): Encoding | undefined {
  const isNulAt = (parity: number): boolean => head.every((byte, index) => (byte === 0) === (index % 2 === parity))
  if (head.length < least) return undefined
  return isNulAt(1) ? 'UTF-16LE' : isNulAt(0) ? 'UTF-16BE' : undefined
}
