// Starts a writer in another process (writer.ts) and gives it its steps.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type Step =
  | { do: 'open'; as: string; file: string }
  | { do: 'write'; as: string; base64: string }
  | { do: 'truncate' | 'close'; as: string }
  | { do: 'rename'; file: string; to: string }
  | { do: 'rewrite'; file: string; text: string }
  | { do: 'remove'; file: string }

export function startWriter() {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'writer.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()

  async function step(told: Step): Promise<void> {
    child.stdin.write(`${JSON.stringify(told)}\n`)
    if ((await answers.next()).done === true) throw new Error(`the writer died of ${JSON.stringify(told)}`)
  }

  const write = (as: string, data: string | Uint8Array): Promise<void> =>
    step({ do: 'write', as, base64: Buffer.from(data as string).toString('base64') })

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }

  return {
    step,
    write,
    open: (as: string, file: string): Promise<void> => step({ do: 'open', as, file }),
    kill: (): Promise<void> => end('SIGKILL'),
    [Symbol.asyncDispose]: (): Promise<void> => end('SIGTERM'),
  }
}
