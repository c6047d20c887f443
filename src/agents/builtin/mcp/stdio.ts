// A server as a child process, one JSON-RPC message a line. The SDK's own transport is not used: it adds variables of ours to the
// child's environment and leaves the children of the child running.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { createFramer } from '../../../framing/framer.ts'
import type { Connection } from '../../transport/contract.ts'
import { stdio } from '../../transport/stdio.ts'
import { limits } from './spec.ts'

export type StdioTransport = Transport & {
  /** How it ended and the last it said on stderr; empty when there is nothing to tell. */
  lastWords(): string
}

export type Child = { command: readonly string[]; cwd: string; env: Readonly<Record<string, string>> }

const stderrKept = 4096
/** To leave by itself when its input ends. */
const leaveMs = 300
/** For its last output to arrive, and between TERM and KILL. */
const times = { drainMs: 200, termMs: 200 }

export function createStdioTransport({ command, cwd, env }: Child): StdioTransport {
  let connection: Connection | undefined
  let gone: Promise<void> | undefined
  let ending = ''
  let stderr = ''

  async function watch({ exited, drain }: Connection): Promise<void> {
    const { code, signal } = await exited
    ending = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`
    await drain(times)
    connection = undefined
    transport.onclose?.()
  }

  const transport: StdioTransport = {
    async start() {
      const [file, ...args] = command
      if (file === undefined || file === '') throw new Error('the command is empty')
      // Servers print what they like: a line that is no JSON object is not for us. The client checks what kind of message it is.
      const sink = {
        record: (message: unknown) => transport.onmessage?.(message as JSONRPCMessage),
        bad(code: string) {
          if (code !== 'too-long') return
          stderr += `\na message was longer than ${limits.messageBytes} bytes`
          void connection?.end()
        },
      }
      const framer = createFramer(sink, { maxLine: limits.messageBytes, plainNumbers: true })
      connection = await stdio.start({ file, args, cwd, env })
      connection.output.on('data', (bytes: Buffer) => framer.push(bytes))
      connection.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-stderrKept)))
      gone = watch(connection)
    },

    async send(message) {
      if (connection === undefined) throw new Error('the server is not running')
      connection.write(`${JSON.stringify(message)}\n`)
    },

    async close() {
      const running = connection
      if (running === undefined) return gone
      running.close()
      const timer = setTimeout(() => void running.end(), leaveMs)
      await gone
      clearTimeout(timer)
    },

    lastWords() {
      const said = stderr.trim().split('\n').slice(-3).join('\n').slice(-500)
      return [ending, said === '' ? '' : `stderr: ${said}`].filter((part) => part !== '').join('; ')
    },
  }
  return transport
}
