// --redact of the commands that read recordings: keys and tokens are replaced before anything is written, and counted.
import type { Redactor } from '../stream/redact.ts'
import { say } from './exit.ts'
import type { OptionSpec, Parsed } from './options.ts'

export const redactOption: OptionSpec = {
  type: 'boolean',
  help: 'replace keys and tokens with [redacted:…]; stderr reports how many',
}

export type Redaction = {
  /** One a stream. */
  create(): Redactor
  /** The totals of all, on stderr. */
  tell(): void
}

/** Undefined when nobody asks for it: then nothing of it is loaded. */
export async function redactionOf(options: Parsed['values']): Promise<Redaction | undefined> {
  if (options['redact'] !== true) return undefined
  const { createRedactor } = await import('../stream/redact.ts')
  const { providerKeys } = await import('../agents/builtin/model/providers.ts')
  const values = Object.values(providerKeys(process.env))
  const made: Redactor[] = []
  return {
    create() {
      const redactor = createRedactor({ values })
      made.push(redactor)
      return redactor
    },
    tell() {
      const totals = new Map<string, number>()
      for (const redactor of made)
        for (const [rule, count] of Object.entries(redactor.counts())) totals.set(rule, (totals.get(rule) ?? 0) + count)
      const list = [...totals].map(([rule, count]) => `${rule} ${count}`)
      say(`sluice: redacted: ${list.length === 0 ? 'nothing' : list.join(', ')}`)
    },
  }
}
