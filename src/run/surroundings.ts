// What a run needs of the process around it, as values: the service reads no environment and no command line, and writes nothing but events
// and the lines that it hands to `report`.
import type { Dialect } from '../dialects/contract.ts'
import type { Catalog } from '../prices/catalog.ts'

export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>
  /** Of this process: where its commands run. */
  cwd: string
  /** Where sessions and the outputs of tools are kept. */
  dataFolder: string
  /** Of sluice. */
  version: string
  prices: Catalog
  now(): number
  /** A line for people. */
  report(line: string): void
  /** A recording that is told again. Rejects with a message for people. */
  openRecording(file: string): Promise<{ dialect: Dialect; read(): AsyncIterable<Uint8Array> }>
}
