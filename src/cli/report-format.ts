// `--format` of the commands that report: the words that a command knows, the first of them without the option. `--json` is one of them.
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { usageError } from './exit.ts'
import type { Parsed } from './options.ts'

export function formatOption<F extends string>(values: Parsed['values'], formats: readonly [F, ...F[]]): F | 'json' {
  const { format, json } = values
  if (format === undefined) return json === true ? 'json' : formats[0]
  const known = formats.find((one) => one === format)
  if (known === undefined) {
    const near = nearest(String(format), [...formats])
    throw usageError(
      `--format ${quoted(format)} is not known${near === undefined ? ` (known: ${formats.join(', ')})` : `; did you mean ${near}?`}`,
    )
  }
  if (json === true && known !== 'json') throw usageError(`--json is the same as --format json; give it or --format ${known}, not both`)
  return known
}
