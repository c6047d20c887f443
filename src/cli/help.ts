// What `sluice` alone says: the commands, with a line each.
import { commands } from './commands.ts'
import { screenOf } from './terminal.ts'
import { broken } from './wrap.ts'

export function overview(width: number = screenOf().width): string {
  const names = Math.max(...Object.keys(commands).map((name) => name.length))
  return `${broken(about, width, 0)}

Usage: sluice COMMAND [options] [FILE|-]

Commands:
${Object.entries(commands)
  .map(([name, [what]]) => `  ${name.padEnd(names)}  ${broken(what, width, names + 4)}`)
  .join('\n')}

${notes.map((note) => `  ${broken(note, width, 4)}`).join('\n')}

Examples:
${examples.map(([command, meaning]) => `  ${command}\n      ${broken(meaning, width, 6)}`).join('\n')}
`
}

export const about =
  'Sluice runs coding agents, decides what they may do, and gives you one event stream you can trust. It reads ten agent formats ("dialects"), validates and repairs them, and translates between them.'

const notes = [
  'sluice COMMAND --help, or sluice help COMMAND: the options of a command, with examples.',
  'sluice --version: the version.',
  '--debug, with any command: show where an error inside sluice came from.',
]

const examples = [
  [
    'claude -p "fix the test" --output-format stream-json --verbose | sluice convert --to avenor',
    "an agent's stream in the format of another program, live",
  ],
  ['sluice validate session.ndjson', 'is this recording complete and valid?'],
] as const
