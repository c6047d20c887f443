// Long outputs of tools, kept on disk in a folder for each session: cleaned of secrets, and removed when their session is.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleaner } from '../agents/builtin/tools/tool.ts'
import type { Event } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createRedactor, type ScanOptions } from '../stream/redact.ts'

export const outputsIn = (dataFolder: string): string => join(dataFolder, 'tool-output')

/** As the output is cleaned where it is told while it comes. */
export function outputCleaner(secrets: ScanOptions): Cleaner {
  const redactor = createRedactor(secrets)
  const textOf = (events: readonly Event[]): string => events.map((event) => ('text' in event ? event.text : '')).join('')
  return {
    push: (text) => textOf(redactor.event(makeEvent('tool.delta', { of: 'output', text, stream: 'stdout' }, { call: 'output' }))),
    end: () => textOf(redactor.end()),
  }
}

/** A session is its file: where that is gone, nobody needs the outputs any more. */
export function removeLeftOutputs(dataFolder: string): void {
  const folder = outputsIn(dataFolder)
  for (const id of namesIn(folder))
    if (!existsSync(join(dataFolder, 'sessions', `${id}.ndjson`))) rmSync(join(folder, id), { recursive: true, force: true })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
