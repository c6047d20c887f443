// Programs that run another program which is named among their arguments: where in the words that one begins.
import type { ShellWord } from './shell-words.ts'

type Options = {
  /** Letters that stand alone, and letters that take a value. */
  flags?: string
  values?: string
  long?: readonly string[]
  longValues?: readonly string[]
  /** Words between the options and the program. */
  operands?: number
  /** `NAME=value` may stand before the program. */
  variables?: boolean
}

const launchers: Record<string, Options> = {
  nohup: {},
  builtin: {},
  busybox: {},
  toybox: {},
  command: { flags: 'p' },
  exec: { flags: 'cl', values: 'a' },
  time: { flags: 'pvaq', values: 'fo' },
  timeout: {
    flags: 'vfp',
    values: 'ks',
    long: ['foreground', 'preserve-status', 'verbose'],
    longValues: ['kill-after', 'signal'],
    operands: 1,
  },
  nice: { flags: '0123456789', values: 'n', longValues: ['adjustment'] },
  ionice: { flags: 't', values: 'cn' },
  stdbuf: { values: 'ioe', longValues: ['input', 'output', 'error'] },
  setsid: { flags: 'cfw', long: ['ctty', 'fork', 'wait'] },
  env: { flags: 'i0v', values: 'u', long: ['ignore-environment', 'null'], longValues: ['unset'], variables: true },
  sudo: {
    flags: 'AbEHnPS',
    values: 'ugpC',
    long: ['non-interactive', 'stdin', 'preserve-env'],
    longValues: ['user', 'group'],
    variables: true,
  },
  doas: { flags: 'n', values: 'u' },
  xargs: {
    flags: '0rtpxoil',
    values: 'nPLsdEaI',
    long: ['null', 'no-run-if-empty', 'verbose', 'exit', 'interactive', 'open-tty'],
    longValues: ['max-args', 'max-procs', 'max-lines', 'max-chars', 'delimiter', 'arg-file', 'replace', 'eof'],
  },
}

/** Programs that run what they are told in ways that are not followed here. */
const closed = new Set(
  'su runuser run0 pkexec gosu su-exec setpriv capsh taskset chrt numactl prlimit setarch linux32 linux64 arch caffeinate unbuffer rlwrap xvfb-run dbus-run-session ssh-agent fakeroot proot bwrap firejail valgrind hyperfine mksh yash rbash nu xonsh elvish gtimeout gtime gnice genv gxargs flock watch parallel script chroot unshare nsenter strace ltrace systemd-run start-stop-daemon entr zsh fish csh tcsh pwsh vi vim view nvim ex ed red emacs nano pico gdb lldb tclsh wish expect osascript m4 dc crontab at batch screen tmux ld lld mysql irb ipython bpython fzf perf diff3 sdiff mail mailx mutt ftp lftp sftp aria2c yt-dlp youtube-dl cpio pax ldd telnet svn hg ghci scala groovy'.split(
    ' ',
  ),
)

const shells = new Set(['sh', 'bash', 'dash', 'ash', 'ksh'])

/** Shells whose scripts are looked into. */
export const isShell = (name: string): boolean => shells.has(name)

/** It runs another program, whatever its options. */
export const runsOther = (name: string): boolean =>
  closed.has(name) || Object.hasOwn(launchers, name) || name === 'eval' || name === 'source'

/** `variables`: NAME=VALUE. */
export type Launch = { program: readonly ShellWord[]; variables: readonly string[] } | { opaque: string }

/** Undefined: the program runs no other that we know of. */
export function launchOf(name: string, words: readonly ShellWord[]): Launch | undefined {
  if (closed.has(name)) return { opaque: `${name} runs what it is given in its own way` }
  const options = Object.hasOwn(launchers, name) ? launchers[name] : undefined
  if (options === undefined) return undefined
  const asksOnly = name === 'command' && /^-[pvV]*[vV]/.test(words[1]?.value ?? '')
  return asksOnly ? { program: [], variables: [] } : skipOptions(name, words, options)
}

function skipOptions(name: string, words: readonly ShellWord[], options: Options): Launch {
  const opaque = { opaque: `it is not known what ${name} runs here` }
  let at = 1
  for (; at < words.length; at++) {
    const word = words[at]!.value
    if (word === undefined)
      return words[at]!.text.startsWith('-') || options.variables === true ? opaque : { program: words.slice(at), variables: [] }
    if (word === '--') {
      at++
      break
    }
    if (word === '-' && name === 'env') continue
    if (!word.startsWith('-') || word === '-') break
    const taken = optionWords(word, options)
    if (taken === undefined) return opaque
    at += taken
  }
  at += options.operands ?? 0
  const variables: string[] = []
  for (; options.variables === true; at++) {
    const assignment = words[at]?.value ?? ''
    if (!/^[^=]+=/.test(assignment)) break
    variables.push(assignment)
  }
  return { program: words.slice(at), variables }
}

/** How many words after the option are its value; undefined when the option is not known. */
function optionWords(word: string, { flags = '', values = '', long = [], longValues = [] }: Options): number | undefined {
  if (word.startsWith('--')) {
    const [name = '', value] = word.slice(2).split('=', 2)
    if (longValues.includes(name)) return value === undefined ? 1 : 0
    return long.includes(name) ? 0 : undefined
  }
  for (let at = 1; at < word.length; at++) {
    const letter = word[at]!
    if (values.includes(letter)) return at === word.length - 1 ? 1 : 0
    if (!flags.includes(letter)) return undefined
  }
  return 0
}

/** The words of a `find` itself, and the programs that it runs for what it finds. Undefined: it cannot be told. */
export function findParts(words: readonly ShellWord[]): { own: ShellWord[]; programs: ShellWord[][] } | undefined {
  const programs: ShellWord[][] = []
  const own: ShellWord[] = []
  for (let at = 0; at < words.length; at++) {
    own.push(words[at]!)
    if (!/^-(exec|ok)(dir)?$/.test(words[at]!.value ?? '')) continue
    const end = words.findIndex(
      (word, index) => index > at && (word.value === ';' || (word.value === '+' && words[index - 1]!.value === '{}')),
    )
    if (end < 0) return undefined
    programs.push(words.slice(at + 1, end))
    at = end
  }
  return { own, programs }
}
