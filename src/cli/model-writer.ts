// Keeps the file of a recorded script as whole as what is known: written again after each change, one at a time, for its owner only,
// without secrets. A change while it is being written is written next.
import { quoted } from '../base/text.ts'
import { replaceFile } from '../files/atomic.ts'
import type { RawScript } from '../script/load.ts'
import { type Format, scriptText } from '../script/record-text.ts'
import { createRedactor } from '../stream/redact.ts'
import { say, systemReason } from './exit.ts'

export type ScriptWriter = {
  touch(): void
  /** Until all is written. */
  flush(): Promise<void>
  /** The file lacks what came last. */
  isBroken(): boolean
  /** How many secrets were taken out of what is in the file. */
  redacted(): number
}

/** `keys`: values that must not be in it, whatever they look like; it may grow. */
export function createScriptWriter(
  file: string,
  format: Format,
  script: () => RawScript | undefined,
  keys: ReadonlySet<string>,
): ScriptWriter {
  let isChanged = false
  let isBroken = false
  let redacted = 0
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    const known = script()
    if (known === undefined) return
    const { clean, count } = withoutSecrets(known, keys)
    await replaceFile(file, await scriptText(clean, format), 0o600)
    redacted = count
  }
  const work = async (): Promise<void> => {
    while (isChanged) {
      isChanged = false
      try {
        await write()
        isBroken = false
      } catch (error) {
        if (!isBroken) say(`sluice: cannot write the script ${quoted(file, 500)}: ${systemReason(error)}`)
        isBroken = true
      }
    }
    writing = undefined
  }
  return {
    touch() {
      isChanged = true
      writing ??= work()
    },
    flush: async () => writing,
    isBroken: () => isBroken,
    redacted: () => redacted,
  }
}

function withoutSecrets(script: RawScript, keys: ReadonlySet<string>): { clean: RawScript; count: number } {
  const { text, hits } = createRedactor({ values: [...keys] }).line(JSON.stringify(script))
  const count = Object.values(hits).reduce((sum, one) => sum + one, 0)
  return { clean: count === 0 ? script : (JSON.parse(text) as RawScript), count } // only texts in it were changed
}
