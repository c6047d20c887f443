// The terminal for one question. What was typed before the question could be seen is no answer to it.
import { createInterface, type Interface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const settleMs = 50 // for the system to hand over what was typed

/** To be closed by whoever asks. Rejects when the question is withdrawn meanwhile. */
export async function freshTerminal(signal: AbortSignal): Promise<Interface> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt: '' })
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT')) // Ctrl-C is for the run, not for the question alone
  try {
    await sleep(settleMs, undefined, { signal })
  } catch (error) {
    terminal.close()
    throw error
  }
  terminal.write(null, { ctrl: true, name: 'u' }) // and the line that was begun
  return terminal
}
