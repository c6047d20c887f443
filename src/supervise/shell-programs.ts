// Programs that look harmless and run another one, or write a file, when an option says so. A rule for them is no rule for that.
import { gitRuns, gitWrites } from './shell-git.ts'
import type { ShellWord } from './shell-words.ts'

/** `by`: the option. `unless`: values of it that do no harm. `whole`: also behind a `--`. */
type Told = { by: RegExp; unless?: RegExp; whole?: true }

/** Settings of a connection may be cased, quoted and put behind an option in many ways. */
const connecting = /(proxy|local|knownhosts)command|(pkcs11|securitykey)provider|^(-[a-z0-9]*o)?["\s]*include["\s=]/i

const compressors = /^(gzip|pigz|bzip2|pbzip2|lbzip2|xz|pixz|lzma|lzip|plzip|lz4|zstd|zstdmt|unzstd|brotli)( -[\w=-]+)*$/
const copier: Told = { by: /^-[A-Za-z0-9]*[FSD]/, unless: /^(\/dev\/null|none)$/ }
const node: Told = { by: /^--(script-s|node-o|she(ll?)?(=|$)|git(=|$)|userc|globalc|init-m|viewer|editor)[\w-]*/ }
const compiler: Told = { by: /^-(fplugin|wrapper|B|specs|load)|^@/ }

const told: Record<string, Told> = {
  rg: { by: /^--(pre|hostname-bin)(?=$|=)/ },
  sort: { by: /^--co[\w-]*/, unless: compressors },
  split: { by: /^--f\w*/, unless: compressors },
  tar: {
    by: /^-[^-f]*[IFT]|^--(to-c|use-c|files-f|rmt|rsh|info-s|new-v|checkpoint-a)[\w-]*/,
    unless: new RegExp(`${compressors.source}|^(\\.|dot|echo|bell|ttyout|totals|sleep|wait)(=|$)`),
  },
  fd: { by: /^-[HIuLsipga0l1q]*[xX]|^--exec/ },
  less: { by: /^\+.*!|^-[a-zA-Z]*k|^--lesskey/ },
  man: { by: /^-[a-zA-Z]*[PH]|^--(pag|ht)\w*/, unless: /^(cat|less)$/ },
  zip: { by: /^-TT|^--unz[\w-]*/ },
  rsync: { by: /^-[a-zA-Z]*e|^--rsh|^--rsync-path/, unless: /^ssh( -([46CTqv]|[pil] ?[\w./~-]+))*$/ },
  ssh: { by: /^-[46AaCfGgKkMNnqsTtVvXxYy]*F/, unless: /^(\/dev\/null|none)$/ },
  scp: copier,
  sftp: copier,
  curl: { by: /^-[sSLfkvig#]*K|^--(config|engine)/ },
  wget: { by: /^-[qnvcNrkKpHLx]*e|^--(exe|use-a|conf)[\w-]*/, unless: /^robots=off$/ },
  nc: { by: /^-[a-z]*[ec]|^--(sh-)?exec/ },
  npm: node,
  pnpm: node,
  yarn: node,
  make: {
    by: /^-[bBdehiknpqRrsStvw]*E|^--ev|^(\.?SHELL|\.SHELLFLAGS|G?N?U?MAKEFLAGS|BASH_ENV)[:+?!]*=|^[\w.]+[:+?!]*=.*[$`;|&]|^[\w.]+!=/,
  },
  cargo: { by: /^--config/ },
  go: { by: /^--?(exec|toolexec|vettool)|-extld/ },
  gcc: compiler,
  cc: compiler,
  clang: compiler,
  bat: { by: /^--pager/, unless: /^(cat|less)$/ },
  pandoc: { by: /^-[FL]|^--(lua-filter|filter|pdf-engine)/ },
  sqlite3: {
    by: /^[ \t]*\.(sh|sy|lo|im|rea|res|ou|on|ba|sa|cl|ar|ex|www|cd)|^--?(init|cmd)|\b(load_extension|readfile|writefile|edit)\s*\(/im,
    whole: true,
  },
  psql: { by: /\\(!|o|w|copy|i|g|e)|\bprogram\b/i, whole: true },
}
/** Other names of them. */
const others = new Map(
  'fdfind=fd bsdtar=tar gtar=tar more=less zless=less ncat=nc netcat=nc batcat=bat gmake=make g++=gcc c++=cc clang++=clang gsort=sort gsplit=split'
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
)

/** Why it cannot be known what the program runs. */
export function runsByOption(base: string, words: readonly ShellWord[]): string | undefined {
  if (base === 'git') return gitRuns(words) ? 'git is told what to run' : undefined
  const name = others.get(base) ?? base
  const found = Object.hasOwn(told, name) ? told[name] : undefined
  const values = words.map((word) => word.value ?? '')
  const isNodeTest =
    name === 'node' && values[1] === '--test' && values.some((value) => /^-[epr]|^--(eval|print|require|import|.*loader)/.test(value))
  if (isNodeTest || (name === 'tar' && /^[a-zA-Z]*[IFT]/.test(values[1] ?? ''))) return `${base} is told by an option what to run`
  if (found === undefined) return undefined
  const isConnecting = /^(ssh|scp|sftp)$/.test(name) && values.some((value) => connecting.test(value) && !/[= ]none$/.test(value))
  if (isConnecting) return `${base} is told by an option what to run`
  for (let at = 1; at < values.length && (found.whole === true || values[at] !== '--'); at++) {
    const option = found.by.exec(values[at]!)?.[0]
    if (option === undefined) continue
    const value = values[at]!.slice(option.length).replace(/^=/, '') || (values[at + 1] ?? '')
    if (found.unless?.test(value) !== true) return `${base} is told by an option what to run`
  }
  return undefined
}

const outputs: Record<string, RegExp> = {
  sort: /^-[bdfgiMhnRrVuz]*o|^--out\w*/,
  shuf: /^-[ez]*o|^--out\w*/,
  iconv: /^-[cs]*o|^--out\w*/,
  tree: /^-o$/,
  less: /^-[oO]|^--(log|LOG)-file/,
  find: /^-f(print0?|printf|ls)$/,
}

/** Files that an option, or a second operand, makes a program write that else only looks. */
export function writtenByOption(base: string, words: readonly ShellWord[]): string[] {
  const values = words.map((word) => word.value ?? '')
  const found: (string | undefined)[] = []
  if (base === 'git') {
    found.push(...gitWrites(words).map((at) => values[at]))
    for (const value of values) if (value.startsWith('--output=')) found.push(value.slice('--output='.length))
  }
  const option = Object.hasOwn(outputs, base) ? outputs[base] : undefined
  for (const [at, value] of values.entries()) {
    const match = at === 0 ? undefined : option?.exec(value)?.[0]
    if (match !== undefined) found.push(value.slice(match.length).replace(/^=/, '') || values[at + 1])
  }
  const isOperand = (value: string, at: number): boolean =>
    at > 0 && !/^[-+]./.test(value) && !(/^(0x[\da-f]+|\d+)$/i.test(value) && /^-\w+$/.test(values[at - 1]!))
  if (base === 'uniq' || base === 'xxd') found.push(values.filter(isOperand)[1])
  return found.filter((path): path is string => path !== undefined && path !== '')
}
