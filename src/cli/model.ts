// sluice model: the scripted model. Its first word says what to do with it.
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { exitCodes, usageError } from './exit.ts'
import { print } from './io.ts'

const actions: Record<string, () => Promise<{ run(argv: readonly string[]): Promise<number> }>> = {
  record: () => import('./model-record.ts'),
  serve: () => import('./model-serve.ts'),
}

const overview = `A model whose words stand in a script, so that agents run without a key and always do the same.

Usage: sluice model ACTION [options]

Actions:
  serve SCRIPT [--port N] [--json] [--log FILE]
      answer real agents from a script, on loopback
  record SCRIPT [--port N] [--upstream PROVIDER|URL] [--json]
      stand between an agent and its provider, and write a script of what the model says

  sluice model ACTION --help shows the options of an action, with examples.
`

export async function run(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h') {
    print(overview)
    return name === undefined ? exitCodes.usage : exitCodes.ok
  }
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const near = nearest(name, Object.keys(actions))
    throw usageError(`${quoted(name)} is not an action${near === undefined ? '' : `; did you mean ${near}?`} (see sluice model --help)`)
  }
  return (await action()).run(rest)
}
