// What GitHub's runner makes of the output of a step: commands are taken out, as its own source does it, and carried out by nobody.

export type Command = { name: string; properties: Record<string, string>; data: string }

const known = new Set(
  (
    'error warning notice debug group endgroup add-mask add-path set-env set-output save-state add-matcher remove-matcher echo ' +
    'internal-set-repo-path stop-commands'
  ).split(' '),
)

export function readLog(text: string): { commands: Command[]; lines: string[] } {
  const commands: Command[] = []
  const lines: string[] = []
  let word: string | undefined // that ends a stop
  for (const line of text.split(/\r\n|\r|\n/)) {
    const command = newForm(line, word) ?? oldForm(line, word)
    if (command === undefined) lines.push(line)
    else if (word !== undefined) {
      if (command.name === word) word = undefined
      else lines.push(line)
    } else if (command.name === 'stop-commands') word = command.data.toLowerCase()
    else commands.push(command)
  }
  return { commands, lines }
}

const isKnown = (name: string, word: string | undefined): boolean => known.has(name) || name === word

function newForm(line: string, word: string | undefined): Command | undefined {
  const text = line.trimStart()
  const end = text.startsWith('::') ? text.indexOf('::', 2) : -1
  if (end < 0) return undefined
  const [name = '', ...rest] = text.slice(2, end).split(' ')
  if (!isKnown(name.toLowerCase(), word)) return undefined
  const data = unescaped(text.slice(end + 2), { '%0D': '\r', '%0A': '\n', '%25': '%' })
  const signs = { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',', '%25': '%' }
  return { name: name.toLowerCase(), properties: propertiesOf(rest.join(' '), ',', signs), data }
}

/** This one may stand anywhere in a line. */
function oldForm(line: string, word: string | undefined): Command | undefined {
  const start = line.indexOf('##[')
  const end = start < 0 ? -1 : line.indexOf(']', start)
  if (end < 0) return undefined
  const [name = '', ...rest] = line.slice(start + 3, end).split(' ')
  if (!isKnown(name.toLowerCase(), word)) return undefined
  const signs = { '%3B': ';', '%0D': '\r', '%0A': '\n', '%5D': ']', '%25': '%' }
  return { name: name.toLowerCase(), properties: propertiesOf(rest.join(' '), ';', signs), data: unescaped(line.slice(end + 1), signs) }
}

const propertiesOf = (text: string, between: string, signs: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    text
      .trim()
      .split(between)
      .flatMap((pair) => {
        const at = pair.indexOf('=')
        return at > 0 && at + 1 < pair.length ? [[pair.slice(0, at), unescaped(pair.slice(at + 1), signs)]] : []
      }),
  )

const unescaped = (text: string, signs: Record<string, string>): string =>
  Object.entries(signs).reduce((so, [sign, meant]) => so.replaceAll(sign, meant), text)
