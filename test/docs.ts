// The pages of the documentation and what stands in them: fenced blocks, tables, links. Shared by the docs-*.test.ts files.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { env, root } from './run.ts'

/** Paths from the root: README.md and everything in docs/. */
export const pages: readonly string[] = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].sort()
export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

/** `info` is all that stands behind the fence: `sh`, `js run`. */
export type Block = { page: string; line: number; info: string; lines: string[] }

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  for (const [index, line] of textOf(page).split('\n').entries()) {
    const fence = /^ *```(.*)$/.exec(line)
    if (fence === null) open?.lines.push(line)
    else if (open !== undefined) open = undefined
    else blocks.push((open = { page, line: index + 1, info: fence[1]!.trim(), lines: [] }))
  }
  return blocks
}

/** Rows of the first table behind a line of the page, without its head: cells as text, code marks taken off. */
export function tableAfter(page: string, line: number): string[][] {
  const lines = textOf(page).split('\n').slice(line)
  const start = lines.findIndex((text) => text.startsWith('|'))
  const end = lines.findIndex((text, index) => index > start && !text.startsWith('|'))
  return lines.slice(start + 2, end === -1 ? undefined : end).map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')),
  )
}

// ── running ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A folder that looks like the checkout, for commands that write files. */
export function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'd-'))
  for (const name of readdirSync(root))
    if (!['.git', 'node_modules', 'tmp'].includes(name)) symlinkSync(join(root, name), join(folder, name))
  return folder
}

export type Command = { line: number; text: string; expected: string }

/** `$ command`, which goes on in the next line inside quotes or after a backslash, then what it prints. */
export function commandsOf({ line, lines }: Block): Command[] {
  const commands: Command[] = []
  let printed: string[] = []
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at]!.startsWith('$ ')) {
      printed.push(lines[at]!)
      continue
    }
    if (commands.length > 0) commands.at(-1)!.expected = printed.join('\n')
    printed = []
    const command = { line: line + at + 1, text: lines[at]!.slice(2), expected: '' }
    while (goesOn(command.text) && at + 1 < lines.length) command.text += `\n${lines[++at]!}`
    commands.push(command)
  }
  if (commands.length > 0) commands.at(-1)!.expected = printed.join('\n')
  return commands
}

const goesOn = (text: string): boolean => text.endsWith('\\') || (text.split("'").length - 1) % 2 === 1

export type Ran = Command & { output: string; status: number }

/** All commands of a block in one shell, so that `echo $?` tells what it would tell a reader. Both streams, as a terminal shows them. */
export function runCommands(commands: readonly Command[], cwd: string): Ran[] {
  const script = commands.map(({ text }) => `${text}\n__status=$?; printf '\\036%d\\036' "$__status"; (exit "$__status")`)
  const { stdout } = spawnSync('/bin/bash', ['-c', ['exec 2>&1', ...script].join('\n')], {
    cwd,
    env: { ...env, PATH: `${join(root, 'bin')}:${env.PATH}`, TMPDIR: cwd },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const parts = stdout.split('\u001e')
  return commands.map((command, index) => ({
    ...command,
    output: parts[2 * index] ?? '',
    status: Number(parts[2 * index + 1] ?? -1),
  }))
}

/** Whether the text is what the page shows; `…` there stands for anything. */
export function shows(expected: string, actual: string): boolean {
  const pattern = expected
    .trimEnd()
    .split('…')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^]*')
  return new RegExp(`^${pattern}$`).test(actual.trimEnd())
}

/** Runs code that imports `sluice` as a user does: by name, through the package's own exports. */
export function runCode(code: string, extension: 'mjs' | 'ts', cwd: string): { output: string; status: number | null } {
  const parent = join(root, 'tmp')
  const hadParent = existsSync(parent)
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'docs-'))
  try {
    const file = join(folder, `example.${extension}`)
    writeFileSync(file, code)
    const { stdout, stderr, status } = spawnSync(process.execPath, [file], { cwd, env, encoding: 'utf8' })
    return { output: stdout + stderr, status }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    if (!hadParent && readdirSync(parent).length === 0) rmSync(parent, { recursive: true, force: true })
  }
}

export const place = (block: Block): string => `${relative('.', block.page)}:${block.line}`
