// Bytes to text. Node's Buffer has the fastest decoder for short spans; a browser has TextDecoder. Both replace bad bytes.

type Slice = (this: Uint8Array, start: number, end: number) => string
const nodeSlice = (globalThis as { Buffer?: { prototype: { utf8Slice?: Slice } } }).Buffer?.prototype.utf8Slice
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

export const utf8 = nodeSlice
  ? (bytes: Uint8Array, start: number, end: number): string => nodeSlice.call(bytes, start, end)
  : (bytes: Uint8Array, start: number, end: number): string => decoder.decode(bytes.subarray(start, end))

export function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  try {
    strict.decode(bytes.subarray(start, end))
    return true
  } catch {
    return false
  }
}
