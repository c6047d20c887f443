// Bytes to text. Node's Buffer has the fastest decoder for short spans; a browser has TextDecoder. Both replace bad bytes.

type Slice = (this: Uint8Array, start: number, end: number) => string
const nodeSlice = (globalThis as { Buffer?: { prototype: { utf8Slice?: Slice } } }).Buffer?.prototype.utf8Slice
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** Bytes of their own. Not `slice`: for Node's Buffer that is a view, and read buffers are used again. */
export const copyOf = (bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array => new Uint8Array(bytes.subarray(start, end))

export const utf8 = nodeSlice
  ? (bytes: Uint8Array, start: number, end: number): string => nodeSlice.call(bytes, start, end)
  : (bytes: Uint8Array, start: number, end: number): string => decoder.decode(bytes.subarray(start, end))

/** Node checks without making text of it. */
type NodeBuffer = { isUtf8?(bytes: Uint8Array): boolean }
const nodeCheck = (globalThis as { process?: { getBuiltinModule?(name: string): NodeBuffer } }).process?.getBuiltinModule?.('buffer').isUtf8

export function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  const part = bytes.subarray(start, end)
  if (nodeCheck !== undefined) return nodeCheck(part)
  try {
    strict.decode(part)
    return true
  } catch {
    return false
  }
}
