// sluice completion: a script that completes commands, options and their values in a shell.
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { scripts } from './completion-scripts.ts'
import { exitCodes, usageError } from './exit.ts'
import { print } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { allSpecs } from './specs.ts'

const shells = Object.keys(scripts)

export const spec: CommandSpec = {
  usage: 'sluice completion bash|zsh|fish',
  about: `Prints a script that completes the commands, options, values and files of sluice in your shell. It installs nothing: load the
script in the startup file of your shell, or save it where your shell looks for such scripts.`,
  options: {},
  words: shells,
  examples: [
    ['source <(sluice completion bash)', 'in ~/.bashrc'],
    ['source <(sluice completion zsh)', 'in ~/.zshrc, after compinit'],
    ['sluice completion fish > ~/.config/fish/completions/sluice.fish', 'once'],
  ],
  exits: ['0  the script is printed', '2  wrong usage'],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const [shell, ...more] = parsed.files
  if (shell === undefined) throw usageError(`say for which shell: ${shells.join(', ')}`)
  if (more[0] !== undefined) throw usageError(`one shell is enough; ${quoted(more[0])} is too many`)
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) {
    const near = nearest(shell, shells)
    throw usageError(
      `${quoted(shell)} is not a shell known here${near === undefined ? ` (known: ${shells.join(', ')})` : `; did you mean ${near}?`}`,
    )
  }
  print(script(await allSpecs()))
  return exitCodes.ok
}
