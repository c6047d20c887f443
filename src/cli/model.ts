// sluice model: the scripted model. Its first word says what to do with it.
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import type { Command } from './commands.ts'
import { exitCodes, usageError } from './exit.ts'
import { print } from './io.ts'
import { screenOf } from './terminal.ts'
import { broken } from './wrap.ts'

export const actions: Readonly<Record<string, () => Promise<Command>>> = {
  serve: () => import('./model-serve.ts'),
  record: () => import('./model-record.ts'),
}

const overview = (
  width: number,
): string => `${broken('Serves a scripted model, or records a script. Agents then run without a key, the same every time.', width, 0)}

Usage: sluice model ACTION [options]

Actions:
  serve SCRIPT [--port N] [--json] [--log FILE]
      ${broken('serve a script to real agents, on 127.0.0.1', width, 6)}
  record SCRIPT [--port N] [--upstream PROVIDER|URL] [--json]
      ${broken('forward requests to the real provider, and write the answers of the model to a script', width, 6)}

  ${broken('sluice model ACTION --help shows the options of an action, with examples.', width, 2)}
`

export async function run(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h') {
    print(overview(screenOf().width))
    return name === undefined ? exitCodes.usage : exitCodes.ok
  }
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const near = nearest(name, Object.keys(actions))
    throw usageError(`${quoted(name)} is not an action${near === undefined ? '' : `; did you mean ${near}?`} (see sluice model --help)`)
  }
  return (await action()).run(rest)
}
