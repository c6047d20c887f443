// A real terminal for tests: a program in a tmux pane of its own, its keys and what it shows.
import { execFileSync } from 'node:child_process'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { needDebian } from './debian.ts'

needDebian({ tmux: 'tmux' })

export type Pane = {
  /** Rows of the screen without spaces at their ends; `all`: those that have scrolled out, too. */
  rows(all?: 'all'): string[]
  /** Waits until the screen shows it. */
  shows(what: RegExp, all?: 'all'): Promise<string>
  /** Names of keys as tmux has them (Enter, C-c, Up). */
  press(...keys: string[]): void
  /** Letters as they are. */
  type(text: string): void
  paste(text: string): void
  resize(width: number, height: number): void
  pid(): number
  [Symbol.dispose](): void
}

export type PaneOptions = { cwd: string; env: Record<string, string>; width?: number; height?: number }

const patienceMs = 20_000
let count = 0

/** When the program has ended, the pane shows `EXIT` with its code, and then the settings of the terminal. */
export function openPane(argv: readonly string[], { cwd, env, width = 80, height = 40 }: PaneOptions): Pane {
  const socket = `sluice-test-${process.pid}-${++count}`
  const tmux = (...args: string[]): string => execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' })
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  const words = Object.entries({ TERM: 'screen-256color', ...env }).map(([name, value]) => quote(`${name}=${value}`))
  const line = `env -i ${words.join(' ')} ${argv.map(quote).join(' ')}; echo EXIT $?; stty -a | grep -o -- '-\\?\\(icanon\\|echo\\)\\b'; exec sleep 60`
  tmux('new-session', '-d', '-x', String(width), '-y', String(height), '-c', cwd, '/bin/sh', '-c', line)

  let isOpen = true
  const rows = (all?: 'all'): string[] =>
    tmux('capture-pane', '-p', ...(all === 'all' ? ['-S', '-'] : []))
      .trimEnd()
      .split('\n')
      .map((row) => row.trimEnd())
  return {
    rows,
    async shows(what, all) {
      const deadline = Date.now() + patienceMs
      for (;;) {
        const screen = rows(all).join('\n')
        if (what.test(screen)) return screen
        assert.ok(Date.now() < deadline, `the terminal never showed ${String(what)}:\n${screen}`)
        await sleep(50)
      }
    },
    press: (...keys) => void tmux('send-keys', ...keys),
    type: (text) => void tmux('send-keys', '-l', text),
    paste(text) {
      tmux('set-buffer', '--', text)
      tmux('paste-buffer', '-p')
    },
    resize: (columns, lines) => void tmux('resize-window', '-x', String(columns), '-y', String(lines)),
    /** Of the program: the shell's only child. */
    pid() {
      const shell = tmux('display-message', '-p', '#{pane_pid}').trim()
      return Number(readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim())
    },
    [Symbol.dispose]() {
      if (isOpen) tmux('kill-server')
      isOpen = false
    },
  }
}
