// The manual page sluice(1), from the same tables as the help of the commands. The build writes it to dist/man/sluice.1.
import { about } from '../src/cli/help.ts'
import { type OptionSpec, optionsByHeading } from '../src/cli/options.ts'
import { allSpecs, type NamedSpec } from '../src/cli/specs.ts'

/** Text for roff: no line is taken for a request, and what is pasted keeps its characters. */
const text = (words: string): string =>
  words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll(/^(?=[.])/gm, '\\&')
    .replaceAll('…', '...')
    .replaceAll('→', '\\(->')

/** A paragraph, and rows of a list, which begin with two spaces. */
function paragraph(words: string): string[] {
  const lines: string[] = []
  for (const line of words.split('\n')) {
    const [, head = '', rest = ''] = /^ {2}(.*?) {2,}(.*)$/.exec(line) ?? []
    if (head !== '') lines.push('.TP', text(head), text(rest))
    else if (lines.at(-3) === '.TP') lines.push('.PP', text(line))
    else lines.push(text(line))
  }
  return lines
}

function option([name, { value, help }]: [string, OptionSpec]): string[] {
  const shown = value === undefined ? '' : ` \\fI${text(value)}\\fR`
  return ['.TP', `\\fB${text(`--${name}`)}\\fR${shown}`, text(help)]
}

function command({ name, spec }: NamedSpec): string[] {
  const { usage, about: what, examples, exits = [] } = spec
  return [
    `.SS ${text(`sluice ${name}`)}`,
    `.B ${text(usage)}`,
    '.PP',
    ...paragraph(what),
    ...optionsByHeading(spec).flatMap(([heading, options]) => ['.PP', `.I ${text(heading)}`, ...options.flatMap(option)]),
    ...(examples.length === 0 ? [] : ['.PP', '.I Examples']),
    ...examples.flatMap(([line, meaning]) => ['.PP', '.EX', text(line), '.EE', '.RS', text(meaning), '.RE']),
    ...(exits.length === 0 ? [] : ['.PP', '.I Exit codes']),
    ...exits.flatMap((line) => {
      const [, code = '', meaning = line] = /^(\d+) +(.*)$/.exec(line) ?? []
      return code === '' ? ['.PP', text(meaning)] : ['.TP', code, text(meaning)]
    }),
  ]
}

export async function manualPage(version: string): Promise<string> {
  const date = new Date(process.env['SOURCE_DATE_EPOCH'] === undefined ? Date.now() : Number(process.env['SOURCE_DATE_EPOCH']) * 1000)
  const specs = await allSpecs()
  return [
    `.TH SLUICE 1 ${date.toISOString().slice(0, 10)} "sluice ${version}" "User Commands"`,
    '.SH NAME',
    'sluice \\- run coding agents, decide what they may do, and get one event stream',
    '.SH SYNOPSIS',
    '.B sluice',
    '.I COMMAND',
    '[options] [FILE|\\-]',
    '.SH DESCRIPTION',
    text(about),
    '.PP',
    text('sluice COMMAND --help shows the options of one command.'),
    '.SH COMMANDS',
    ...specs.flatMap(command),
    '.SH SEE ALSO',
    'The pages in the folder',
    '.I docs',
    'of the package.',
    '',
  ].join('\n')
}
