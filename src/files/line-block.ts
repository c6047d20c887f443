// Lines gathered in one block of bytes, for a single write. Each is encoded as it comes: joined as texts first, one wide character
// would make all of them wide, and ten times as slow to encode.

export type LineBlock = {
  /** Without its end. */
  add(line: string): void
  flush(): void
}

const enough = 1 << 16 // bytes
const newline = 0x0a
const widest = 3 // bytes that one unit of a text may take

/** The bytes that `write` gets are used again when it has returned. */
export function createLineBlock(write: (bytes: Uint8Array) => void): LineBlock {
  const block = Buffer.allocUnsafeSlow(2 * enough)
  let size = 0

  function flush(): void {
    if (size === 0) return
    const bytes = block.subarray(0, size)
    size = 0
    write(bytes)
  }

  return {
    add(line) {
      const most = line.length * widest + 1
      if (size + most > block.length) flush()
      if (most > block.length) return write(Buffer.from(`${line}\n`))
      size += block.write(line, size)
      block[size++] = newline
      if (size >= enough) flush()
    },
    flush,
  }
}
