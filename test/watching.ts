// Runs `sluice watch` as a user does, and waits for its lines.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { command, env } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-watch-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let made = 0
/** The name of a file that is not there yet, alone in its folder. */
export const newFile = (): string => join(mkdtempSync(join(folder, `${++made}-`)), 'events.ndjson')

export function startWatch(args: readonly string[]) {
  const child = spawn(command, ['watch', ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  let check = (): void => {}
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    check()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
    check()
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code as number | null, signal: signal as string | null }))

  /** Until it is so; an error if the watch ends before. */
  async function until(isSo: () => boolean): Promise<void> {
    const waiting = new Promise<void>((resolve) => {
      check = () => isSo() && resolve()
      check()
    })
    const over = ended.then(({ code }) => {
      if (!isSo()) throw new Error(`watch ended with ${code}; it wrote:\n${out}\n${errors}`)
    })
    await Promise.race([waiting, over])
  }

  return {
    child,
    out: (): string => out,
    errors: (): string => errors,
    until,
    /** Until these are its lines. */
    shows: (lines: string): Promise<void> => until(() => out === lines),
    says: (text: RegExp): Promise<void> => until(() => text.test(errors)),
    ended,
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export const chunk = (text: string, session = 's'): string =>
  `${JSON.stringify({ event: 'agent.message_chunk', session_id: session, content: { type: 'text', text } })}\n`
export const line = (text: string, session = 's'): string => `EVENT agent.message_chunk ${session} ${text}\n`
export const end = '{"event":"session.end","session_id":"s","stop_reason":"end_turn"}\n'
export const endLine = 'EVENT session.end s stop_reason=end_turn\n'
