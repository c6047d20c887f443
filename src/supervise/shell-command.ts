// One simple command of the shell: its variables, redirects and words, and what it runs in its turn.
import type { Assignment, Command, CommandArgument, HereDoc, HereString, Redirection, Word } from 'unbash'
import { builtinProblem, freeBuiltins, shellOperand } from './shell-builtins.ts'
import { type Counter, isNumber, onlyText, type Variables } from './shell-expansion.ts'
import { deepest, type Findings, mostWords } from './shell-findings.ts'
import { gitPlain } from './harmless-git.ts'
import { knownUse } from './harmless-programs.ts'
import type { Use } from './harmless.ts'
import { findParts, isShell, type Launch, launchOf } from './shell-launch.ts'
import { isDevice, tidy } from './shell-paths.ts'
import { scriptUse, type ScriptUse } from './shell-scripts.ts'
import { isTalk, isText } from './shell-texts.ts'
import { isHarmlessVariable, literalWord, readWord, unknownWord, type ShellWord, type Value } from './shell-words.ts'
import type { Walker } from './shell.ts'

type Stdin = HereDoc | HereString | undefined
/** `open`: more words come from elsewhere (xargs). */
type Setting = { depth: number; stdin?: Stdin; open?: boolean }

/** They run what they read when nothing else is named, or with some options even then. Shells are looked into. */
const readers =
  /^(python[\d.]*|node|deno|bun|perl|ruby|php|lua|osascript|tclsh|expect|ssh|ed|ex|vi|vim|nvim|emacs|at|batch|crontab|psql|sqlite3|mysql|gdb|lldb|bc|dc|m4|make)$/

/** They put other things in the place of what they name, make it, or take it away. */
const movers = new Set('mv cp rm rmdir ln install rsync tar bsdtar unzip tee dd touch truncate patch wget'.split(' '))

/** The name of the program itself, and of git its command: on some systems a program is found in capitals, too. */
function aliasOf(base: string, words: readonly ShellWord[]): { alias?: string } {
  const alias = [base.toLowerCase(), ...(base === 'git' ? gitPlain(words) : words).slice(1).map((word) => word.text)].join(' ')
  return base === '' || alias === words.map((word) => word.text).join(' ') ? {} : { alias }
}

/** Of a file that is called like the script, one word is left. */
function withoutScript(words: readonly ShellWord[], use: ScriptUse | undefined): readonly ShellWord[] {
  const left = [...words]
  for (const script of use?.problem === undefined ? (use?.script ?? []) : []) {
    const at = left.findIndex((word) => word.value === script)
    if (at >= 0) left.splice(at, 1)
  }
  return left
}

export function commandReader(findings: Findings, walker: Walker, counter: Counter, variables: Variables) {
  const { opaque, folders } = findings
  const read = (word: Word): ShellWord => readWord(word, findings.surroundings())

  function assignment(node: Assignment, isPrefix: boolean, depth: number): void {
    if (node.index !== undefined && !isNumber(node.index.text)) opaque('it sets an element of a list that is not known')
    const elements = node.value.type === 'ArrayValue' ? node.value.elements : []
    if (elements.some(({ text }) => /^\[(?!\d+\]\+?=)/.test(text))) opaque('it sets an element of a list that is not known')
    walker.scan(node, depth)
    const isPlain = node.value.type === 'Word' && node.append !== true && node.index === undefined
    const values = isPlain ? heldBy(read(node.value as Word)) : undefined
    if (node.name === 'GLOBIGNORE') findings.unknown('GLOBIGNORE') // with it, wildcards find hidden files
    if (isPrefix && !isHarmlessVariable(node.name, onlyText(values))) {
      opaque(`it runs with the variable ${node.name} set`)
      variables.set(node.name, values, false)
    } else counter.assigned(node.name, values, !isPrefix)
  }

  /** In an assignment nothing is split and no wildcard is expanded. */
  const heldBy = (word: ShellWord): Value[] | undefined =>
    word.value === undefined
      ? word.paths?.map((text) => ({ text, exact: word.glob, glob: false }))
      : [{ text: word.value, exact: true, glob: false }]

  /** What a loop goes through. */
  function valuesOf(list: readonly Word[]): Value[] | undefined {
    const all = list.map((word) => {
      const shape = read(word)
      if (shape.value !== undefined) return [{ text: shape.value, exact: true, glob: false }]
      return shape.paths?.map((text) => ({ text, exact: false, glob: shape.glob }))
    })
    return all.includes(undefined) ? undefined : all.flatMap((values) => values ?? [])
  }

  function command(node: Command, depth: number): void {
    for (const part of node.prefix) if (part.type === 'Assignment') assignment(part, node.name !== undefined, depth)
    const stdin = redirects(node.redirects, depth)
    const isFed = node.redirects.some(isInput)
    if (node.name === undefined) {
      findings.command({ text: node.prefix[0]?.type === 'Assignment' ? node.prefix[0].text : '>', free: true, words: [] })
      return
    }
    walker.scan(node.name, depth)
    const words = [read(node.name), ...node.args.map((part) => argument(part, depth))]
    if (isFed && words.length === 1 && words[0]!.value === 'exec') findings.input.feedAll()
    findings.input.feed(isFed, () => simple(words, { depth, stdin }))
  }

  function argument(part: CommandArgument, depth: number): ShellWord {
    if (part.type === 'Word') {
      walker.scan(part, depth)
      return read(part)
    }
    assignment(part, false, depth)
    const value = part.value.type === 'Word' && part.index === undefined && part.append !== true ? read(part.value) : undefined
    if (value === undefined) return unknownWord(part.text)
    return { ...value, text: `${part.name}=${value.text}`, value: value.value === undefined ? undefined : `${part.name}=${value.value}` }
  }

  /** The here-document or here-string that becomes the standard input. */
  function redirects(list: readonly Redirection[], depth: number): Stdin {
    let stdin: Stdin
    for (const node of list) {
      walker.scan(node, depth)
      const descriptor = node.descriptor
      if (descriptor?.type === 'FileDescriptorVariable') opaque('it keeps a descriptor in a variable')
      if (isInput(node)) stdin = node.type === 'Redirect' ? undefined : node
      if (node.type === 'HereDoc' && node.closing === undefined) opaque('its here-document has no end')
      if (node.type !== 'Redirect') continue
      if (node.target === undefined) opaque('it redirects to nothing')
      else if (!/^[<>]&$/.test(node.operator) || !/^\d*-?$/.test(node.target.text)) redirect(node.operator, node.target)
    }
    return stdin
  }

  function redirect(operator: string, target: Word): void {
    const word = read(target)
    if (target.parts?.length === 1 && target.parts[0]!.type === 'ProcessSubstitution') return
    if (operator === '<') return findings.read(word)
    if (word.paths === undefined || word.glob) {
      if (word.paths === undefined) findings.unknown(word.text)
      return opaque('it writes to a file that is not known')
    }
    for (const path of word.paths) if (!isDevice(path)) findings.write(path)
  }

  /** A word that is only gone through, in a loop or a `case`. */
  function listed(word: Word, depth: number): void {
    walker.scan(word, depth)
    const shape = read(word)
    if (shape.glob) findings.useWord(shape)
  }

  function simple(words: readonly ShellWord[], setting: Setting): void {
    const [first] = words
    if (first === undefined) return
    if (setting.depth > deepest) return opaque('it nests too deep')
    if (words.length > mostWords) return opaque('it has too many words')
    const name = first.value
    if (name === undefined || name === '' || first.text.startsWith('~')) opaque('its command word is not known before it runs')
    const base = (name ?? '').slice((name ?? '').lastIndexOf('/') + 1)
    const spelt = words.map((word) => word.text)
    const isOpen = setting.open === true || words.some((word) => word.reach !== undefined)
    const plainUntil = words.findIndex((word) => word.value === undefined || word.text !== word.value)
    const isFed = readers.test(base) && findings.input.isFed()
    const found = base === 'find' ? findParts(words) : { own: words, programs: [] }
    const use = found === undefined ? undefined : knownUse(base, found.own)
    const script = scriptUse(use)
    const launch = launchOf(base, words)
    const doubt =
      found === undefined
        ? 'it is not known what find runs here'
        : (use?.problem ??
          script?.problem ??
          (use !== undefined && setting.open === true ? `what xargs reads may be an option of ${base}` : undefined) ??
          launchDoubt(launch, words, setting) ??
          shellDoubt(base, words, setting))
    findings.command({
      text: [...spelt, ...(isFed ? ['< (input)'] : [])].join(' '),
      ...(isFed && { fed: true as const }),
      words: plainUntil < 0 ? spelt : spelt.slice(0, plainUntil),
      ...aliasOf(base, words),
      ...(doubt !== undefined && { doubt }),
      ...(isOpen ? { reach: [...words.map((word) => word.reach ?? word.text), ...(setting.open === true ? ['*'] : [])].join(' ') } : {}),
      ...(freeBuiltins.has(base) && base === name ? { free: true } : {}),
    })
    const problem = name === base ? builtinProblem(base, words, setting.open === true) : undefined
    if (problem !== undefined) opaque(problem)
    if (name === base) builtin(base, words)
    files(base, withoutScript(words.slice(1), script))
    for (const path of [...(script?.reads ?? []), ...(use?.attached ?? [])]) findings.usePath(path)
    for (const path of [...(script?.writes ?? []), ...(use?.writes ?? [])]) if (!isDevice(path)) findings.write(path)
    if (use?.repository !== undefined) findings.useRepository([...foldersOf(use), use.repository].join('/'), spelt.join(' '))
    for (const program of found?.programs ?? []) foundFile(program, setting)
    if (use?.options.some(([option]) => option === '-delete') === true && base === 'find') simple([literalWord('rm')], deeper(setting))
    if (use?.program !== undefined && use.program[0]?.value?.endsWith('.py') !== true) simple(use.program, deeper(setting))
    special(base, words, launch, setting)
  }

  const deeper = (setting: Setting): Setting => ({ depth: setting.depth + 1 })

  /** What find runs for each file that it finds. */
  function foundFile(program: readonly ShellWord[], setting: Setting): void {
    simple(
      program.map((word) => (word.text.includes('{}') ? foundWord(word.text) : word)),
      deeper(setting),
    )
  }

  function launchDoubt(launch: Launch | undefined, words: readonly ShellWord[], setting: Setting): string | undefined {
    if (launch === undefined) return undefined
    if ('opaque' in launch) return launch.opaque
    for (const assignment of launch.variables) {
      const [variable = '', ...value] = assignment.split('=')
      if (!isHarmlessVariable(variable, value.join('='))) return `it runs with the variable ${variable} set`
    }
    const own = words.slice(1, words.length - launch.program.length)
    const isXargs = words[0]!.value?.endsWith('xargs') === true
    if (isXargs && own.some(({ value }) => /^-[^-]*[iI]|^--replace/.test(value ?? ''))) return 'xargs puts its input into the command'
    return launch.program.length === 0 && setting.open === true ? 'its command comes from its input' : undefined
  }

  function shellDoubt(base: string, words: readonly ShellWord[], setting: Setting): string | undefined {
    if (!isShell(base)) return undefined
    const operand = shellOperand(words)
    if (operand === undefined) return `it is not known what ${base} runs here`
    if (operand.word !== undefined && operand.word.value === undefined) return `${base} runs a text or a file that is not known`
    const isUnknown =
      operand.how === 'file' && operand.word === undefined && (setting.open === true || fedText(setting.stdin) === undefined)
    return isUnknown ? `${base} runs what it reads` : undefined
  }

  /** Builtins that set variables, or change what a wildcard finds. */
  function builtin(base: string, words: readonly ShellWord[]): void {
    const operands = words.slice(1).flatMap(({ value }) => (value?.startsWith('-') === true ? [] : [value]))
    if (/^(read|mapfile|readarray|getopts)$/.test(base)) {
      for (const name of [...operands, ...(base === 'read' ? ['REPLY'] : ['MAPFILE', 'OPTARG'])])
        if (name === undefined) variables.lose()
        else counter.fed(name)
    }
    if (base === 'unset')
      for (const name of operands)
        variables.set(name ?? '', name === undefined ? undefined : [{ text: '', exact: true, glob: false }], true)
    const isOther = /^(declare|typeset|local|readonly|export)$/.test(base) && words.some(({ value }) => /^[-+].*[niulA]/.test(value ?? ''))
    const isAssigning = base === 'printf' && words.some(({ value }) => value?.startsWith('-v') === true)
    if (isOther || isAssigning || /^(source|\.|let|enable|fc)$/.test(base)) variables.lose()
    if (base === 'shopt' && words.slice(1).some(({ value }) => !/^(-[suqp]|nullglob|failglob|globstar|expand_aliases)$/.test(value ?? '')))
      findings.unknown(words.map(({ text }) => text).join(' '))
  }

  function files(base: string, words: readonly ShellWord[]): void {
    const end = words.findIndex(({ value }) => value === '--')
    const isDashed = ({ paths }: ShellWord, index: number): boolean =>
      paths?.some((path) => /\/-/.test(path) || (end >= 0 && index > end && path.startsWith('-'))) === true
    if (words.some(isDashed)) findings.dash()
    const isMover = movers.has(base) || (base === 'git' && gitPlain([literalWord('git'), ...words])[1]?.value === 'mv')
    for (const [index, word] of words.entries()) {
      const isNone =
        isTalk(base, word) || /^--exclude(-dir)?=/.test(word.value ?? '') || (word.paths === undefined && isText(base, words, index))
      const isLeftOut = word.value?.startsWith('--exclude') === true || words[index - 1]?.value === '--exclude'
      if (!isNone) findings.useWord(word, isMover && !isLeftOut)
    }
  }

  /** What the command runs in its turn. */
  function special(base: string, words: readonly ShellWord[], launch: Launch | undefined, setting: Setting): void {
    if (base === 'cd' || base === 'pushd' || base === 'popd') return change(base, words)
    if (isShell(base)) return shell(words, setting)
    if (base === 'eval' || base === 'trap') {
      if (base === 'trap' && !/^-?$/.test(words[1]?.value ?? '-')) opaque('trap runs something later')
      const code = base === 'eval' ? words.slice(1) : words.slice(1, 2)
      if (setting.open === true || code.some((word) => word.value === undefined)) {
        variables.lose()
        return opaque(`${base} runs a text that is not known`)
      }
      const text = code.map((word) => word.value).join(' ')
      return text.startsWith('-')
        ? text === '-'
          ? undefined
          : opaque(`${base} is given an option`)
        : walker.source(text, setting.depth + 1)
    }
    if (launch === undefined || 'opaque' in launch || launch.program.length === 0) return
    const takesText = isTalk(launch.program[0]?.value ?? '', literalWord(''))
    if (base === 'xargs' && !takesText && !findings.input.isNames()) findings.unknown('(what xargs reads)')
    simple(launch.program, { ...setting, depth: setting.depth + 1, ...(base === 'xargs' && { open: true, stdin: undefined }) })
  }

  function shell(words: readonly ShellWord[], setting: Setting): void {
    const operand = shellOperand(words)
    const isText = operand?.how === 'text' || operand?.word === undefined
    const text = operand?.how === 'text' ? operand.word?.value : setting.open === true ? undefined : fedText(setting.stdin)
    if (operand !== undefined && isText && text !== undefined)
      folders.aside(() => variables.fresh(() => walker.source(text, setting.depth + 1)))
  }

  /** What a here-document says; undefined when the shell still changes it. */
  function fedText(stdin: Stdin): string | undefined {
    if (stdin === undefined) return undefined
    if (stdin.type === 'HereString') return stdin.target === undefined ? undefined : read(stdin.target).value
    const text = stdin.operator === '<<-' ? stdin.body.text.replace(/^\t+/gm, '') : stdin.body.text
    const isFixed = stdin.delimiter?.quoted === true || (!text.includes('\\') && !text.includes('$') && !text.includes('`'))
    return isFixed ? text : undefined
  }

  function change(base: string, words: readonly ShellWord[]): void {
    const operands = words.slice(1).filter((word) => !/^-[LPe@]+$|^--$/.test(word.value ?? ''))
    const [target] = operands
    if (base !== 'cd' || operands.length > 1) return lost()
    if (target === undefined) return enter('~')
    if (target.paths?.length !== 1 || target.glob || target.value === '-') return lost()
    enter(target.paths[0]!)
  }

  function lost(): void {
    opaque('it goes to a folder that is not known')
    folders.enter(undefined)
  }

  function enter(path: string): void {
    const next = findings.resolve(path)
    findings.usePath(path, false, true) // what is unpacked there is not named
    folders.enter(next.map(tidy))
  }

  return { command, redirects, listed, valuesOf }
}

/** `git -C a -C b`; an absolute one counts from there. */
const foldersOf = ({ options }: Use): string[] => {
  const folders = options.flatMap(([name, value]) => (name === '-C' ? [value ?? ''] : []))
  return folders.slice(
    Math.max(
      0,
      folders.findLastIndex((folder) => folder.startsWith('/')),
    ),
  )
}

/** A file that find has found: it lies below a folder that is judged already. */
const foundWord = (text: string): ShellWord => ({ ...unknownWord(text), paths: [text.replaceAll('{}', 'x')], loose: false })

export const isInput = ({ operator, descriptor }: Redirection): boolean =>
  operator.startsWith('<') && (descriptor?.type !== 'FileDescriptor' || descriptor.value === 0)
