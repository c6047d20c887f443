// Lines gathered in one block of bytes, for a single write. Each is encoded as it comes: joined as texts first, one wide character
// would make all of them wide, and ten times as slow to encode.

export type LineBlock = {
  /** Without its end. */
  add(line: string): void
  /** The same, encoded already. */
  addBytes(line: Uint8Array): void
  flush(): void
}

const enough = 1 << 18 // bytes: in a flood each write of less costs as much as making a fifth of its lines
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

  /** A line of at most so many bytes; false when no block is large enough. */
  function fits(most: number): boolean {
    if (size + most + 1 > block.length) flush()
    return most + 1 <= block.length
  }

  function end(added: number): void {
    size += added
    block[size++] = newline
    if (size >= enough) flush()
  }

  return {
    add(line) {
      if (fits(line.length * widest)) end(block.write(line, size))
      else write(Buffer.from(`${line}\n`))
    },
    addBytes(line) {
      if (!fits(line.length)) return write(Buffer.concat([line, Buffer.from('\n')]))
      block.set(line, size)
      end(line.length)
    },
    flush,
  }
}
