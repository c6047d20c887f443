// Which of the tables is for a program, and what is not known of the way in which a command uses it.
import { builders } from './harmless-build.ts'
import { files } from './harmless-files.ts'
import { git } from './harmless-git.ts'
import { network } from './harmless-network.ts'
import { packages } from './harmless-packages.ts'
import { type Harmless, type Use, useOf } from './harmless.ts'
import { isShell, runsOther } from './shell-launch.ts'
import { deepest } from './shell-findings.ts'
import type { ShellWord } from './shell-words.ts'

const programs: Readonly<Record<string, Harmless>> = { git, ...files, ...network, ...packages, ...builders }

const others = new Map(
  `c89=gcc c99=gcc fdfind=fd bsdtar=tar gtar=tar more=less zless=less most=less ncat=nc netcat=nc batcat=bat gmake=make cc=gcc g++=gcc c++=gcc clang=gcc clang++=gcc
  tcc=gcc gfortran=gcc gsort=sort gsplit=split gsed=sed gawk=awk mawk=awk nawk=awk gfind=find pnpx=npx tsx=node ts-node=node nodejs=node pypy=python
  pipx=uvx apt-get=apt mvnw=mvn gradlew=gradle jruby=ruby luajit=lua ginstall=install gxxd=xxd guniq=uniq gshuf=shuf`
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
)

function specOf(base: string): Harmless | undefined {
  const plain = base
    .replace(
      /^[\w.]+-(?:[\w.]+-)*(?=(gcc|g\+\+|c\+\+|cpp|nm|ar|as|strip|ranlib|objcopy|objdump|readelf|size|strings|addr2line|c\+\+filt)(-[\d.]+)?$)/,
      '',
    )
    .replace(/^(python|pypy|pip|perl|ruby|lua|php|gcc|g\+\+|clang|clang\+\+|cpp|nm|ar|ranlib|strip|objdump|objcopy)-?[\d.]+$/, '$1')
  const name = others.get(plain) ?? plain
  return Object.hasOwn(programs, name) ? programs[name] : undefined
}

/** Undefined: the program is in no table. */
export function knownUse(base: string, words: readonly ShellWord[], depth = 0): Use | undefined {
  const spec = specOf(base)
  return spec === undefined ? undefined : useOf(spec, base, words, (program) => problemOf(program, depth + 1))
}

/** Of a program that another one runs (`npx`, `uv run`). */
function problemOf(program: readonly ShellWord[], depth: number): string | undefined {
  if (depth > deepest) return 'it nests too deep'
  const name = program[0]?.value
  if (name === undefined) return 'it is not known what it runs'
  const base = name.slice(name.lastIndexOf('/') + 1)
  return isShell(base) || runsOther(base) ? `it runs ${base}` : knownUse(base, program, depth)?.problem
}
