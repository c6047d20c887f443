// Completion scripts, made from the options of the commands. All three offer the same: commands, actions, options, values, files.
import { dialectNames, writableNames } from './dialects.ts'
import type { CommandSpec, OptionSpec } from './options.ts'
import type { NamedSpec } from './specs.ts'

type Offer = { words: readonly string[] } | 'files' | 'folders' | 'nothing'

/** What may stand behind an option; undefined: it takes no value. */
function offerOf(name: string, { type, value = '', choices }: OptionSpec): Offer | undefined {
  if (type === 'boolean') return undefined
  if (choices !== undefined) return { words: choices }
  if (value === 'DIALECT') return { words: name === 'to' || name === 'format' ? writableNames : ['auto', ...dialectNames] }
  if (value === 'DIR') return 'folders'
  return /\b(FILE|PATH)\b/.test(value) ? 'files' : 'nothing'
}

function wordsOf({ usage, words }: CommandSpec): Offer {
  if (words !== undefined) return { words }
  return /\bDIR\b/.test(usage) ? 'folders' : /\b(FILE|PATH|SCRIPT|BASE)\b/.test(usage) ? 'files' : 'nothing'
}

const optionsOf = ({ options }: CommandSpec): [name: string, option: OptionSpec][] => [
  ...Object.entries(options).filter(([, { hidden }]) => hidden !== true),
  ['help', { type: 'boolean', help: 'show this help' }],
]

/** First words, each with what it is for. */
function commandsOf(specs: readonly NamedSpec[]): [name: string, about: string][] {
  const firsts = specs.map(({ name, about }): [string, string] => [name.split(' ')[0]!, name.includes(' ') ? '' : about])
  return [...new Map([...firsts, ['help', 'show the options of a command'] as [string, string]])]
}

/** Second words of the commands that have actions. */
function actionsOf(specs: readonly NamedSpec[]): Map<string, string[]> {
  const actions = new Map<string, string[]>()
  for (const { name } of specs) {
    const [first = '', second] = name.split(' ')
    if (second !== undefined) actions.set(first, [...(actions.get(first) ?? []), second])
  }
  return actions
}

const single = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

// ── bash ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function bash(specs: readonly NamedSpec[]): string {
  const reply = (offer: Offer): string =>
    offer === 'nothing'
      ? ':'
      : offer === 'files' || offer === 'folders'
        ? `_sluice_files -${offer === 'files' ? 'f' : 'd'}`
        : `_sluice_words ${single(offer.words.join(' '))}`
  const actions = actionsOf(specs)
  const values = specs.flatMap(({ name, spec }) =>
    optionsOf(spec).flatMap(([option, its]) => {
      const offer = offerOf(option, its)
      return offer === undefined ? [] : [`    ${single(`${name} --${option}`)}) ${reply(offer)}; return ;;`]
    }),
  )
  const plain = specs.map(
    ({ name, spec }) =>
      `    ${single(name)}) if [[ $cur == -* ]]; then ${reply({ words: optionsOf(spec).map(([option]) => `--${option}`) })}; else ${reply(wordsOf(spec))}; fi ;;`,
  )
  return `# bash completion of sluice
_sluice_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_sluice_files() { compopt -o filenames 2>/dev/null; local IFS=$'\n'; COMPREPLY=($(compgen "$1" -- "$cur")); }
_sluice() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= word at
  COMPREPLY=()
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    [[ $word == --debug || ( -z $command && $word == help ) ]] && continue
    if [[ -z $command ]]; then command=$word; else
      case $command in
        ${[...actions.keys()].map(single).join('|')}) command+=" $word" ;;
      esac
      break
    fi
  done
  case "$command $prev" in
${values.join('\n')}
  esac
  case $command in
    '') _sluice_words ${single([...commandsOf(specs).map(([name]) => name), '--help', '--version'].join(' '))} ;;
${[...actions].map(([name, words]) => `    ${single(name)}) _sluice_words ${single([...words, '--help'].join(' '))} ;;`).join('\n')}
${plain.join('\n')}
  esac
}
complete -F _sluice sluice
`
}

// ── zsh ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const described = (text: string): string => text.replaceAll(/[[\]:\\]/g, '\\$&').replaceAll('\n', ' ')

function zsh(specs: readonly NamedSpec[]): string {
  const action = (offer: Offer): string =>
    offer === 'nothing'
      ? ''
      : offer === 'files'
        ? '_files'
        : offer === 'folders'
          ? '_files -/'
          : `(${offer.words.map(described).join(' ')})`
  const actions = actionsOf(specs)
  const argumentsOf = (spec: CommandSpec): string =>
    [
      ...optionsOf(spec).map(([name, option]) => {
        const offer = offerOf(name, option)
        const value = offer === undefined ? '' : `:${described(option.value ?? 'value')}:${action(offer)}`
        return single(`${option.many === true ? '*' : ''}--${name}${offer === undefined ? '' : '='}[${described(option.help)}]${value}`)
      }),
      single(`*:word:${action(wordsOf(spec)) || '()'}`), // an empty action would show a message in place of completing,
    ]
      .map((word) => ` \\\n        ${word}`)
      .join('')
  const list = (words: readonly (readonly [string, string])[]): string =>
    words.map(([name, about]) => single(about === '' ? name : `${name}:${described(about)}`)).join(' ')
  return `#compdef sluice
# zsh completion of sluice
_sluice() {
  local -a commands
  local command
  while [[ $words[2] == help || $words[2] == --debug ]] && (( CURRENT > 2 )); do shift words; (( CURRENT-- )); done
  if (( CURRENT == 2 )); then
    commands=(${list(commandsOf(specs))})
    _describe command commands
    [[ $words[CURRENT] == -* ]] && compadd -- --help --version
    return
  fi
  command=$words[2]
  case $command in
${[...actions]
  .map(
    ([name, words]) => `    ${name})
      if (( CURRENT == 3 )); then compadd -- ${words.join(' ')} --help; return; fi
      command+=" $words[3]"; shift words; (( CURRENT-- )) ;;`,
  )
  .join('\n')}
  esac
  shift words; (( CURRENT-- ))
  case $command in
${specs.map(({ name, spec }) => `    ${single(name)})\n      _arguments${argumentsOf(spec)} ;;`).join('\n')}
  esac
}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`
}

// ── fish ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const fished = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&').replaceAll('\n', ' ')}'`

function fish(specs: readonly NamedSpec[]): string {
  const actions = actionsOf(specs)
  const offer = (its: Offer): string =>
    its === 'nothing'
      ? ''
      : its === 'files'
        ? ' -F'
        : its === 'folders'
          ? " -a '(__fish_complete_directories)'"
          : ` -a ${fished(its.words.join(' '))}`
  const lines = specs.flatMap(({ name, spec }) => {
    const here = `complete -c sluice -n ${fished(`__sluice_is ${name}`)}`
    const words = wordsOf(spec)
    return [
      ...(words === 'nothing' ? [] : [`${here}${offer(words)}`]),
      ...optionsOf(spec).map(([option, its]) => {
        const value = offerOf(option, its)
        return `${here} -l ${option}${value === undefined ? '' : ` ${value === 'files' ? '-r' : '-x'}${offer(value)}`} -d ${fished(its.help)}`
      }),
    ]
  })
  return `# fish completion of sluice
function __sluice_is
    set -l words
    for word in (commandline -opc)[2..-1]
        contains -- $word help --debug; or set -a words $word
    end
    test (count $argv) -eq 0; and return (test (count $words) -eq 0)
    for at in (seq (count $argv))
        test "$words[$at]" = "$argv[$at]"; or return 1
    end
end
function __sluice_begins
    test (count (commandline -opc)) -eq 2; and __sluice_is $argv
end
complete -c sluice -f
${commandsOf(specs)
  .map(([name, about]) => `complete -c sluice -n __sluice_is -a ${name}${about === '' ? '' : ` -d ${fished(about)}`}`)
  .join('\n')}
complete -c sluice -n __sluice_is -l help -d 'show the commands'
complete -c sluice -n __sluice_is -l version -d 'show the version'
${[...actions].map(([name, words]) => `complete -c sluice -n '__sluice_begins ${name}' -a ${fished(words.join(' '))}`).join('\n')}
${lines.join('\n')}
`
}

export const scripts: Readonly<Record<string, (specs: readonly NamedSpec[]) => string>> = { bash, zsh, fish }
