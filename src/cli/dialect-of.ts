// The dialect of a file, by its first records.
import type { Dialect } from '../dialects/contract.ts'
import { open } from './dialects.ts'
import { blocks } from './io.ts'

/** `advice`: as for `open`. */
export async function dialectOf(file: string, advice?: string): Promise<Dialect> {
  const input = blocks(file)
  try {
    return (await open(input, undefined, advice)).dialect
  } finally {
    await input.return?.(undefined)
  }
}
