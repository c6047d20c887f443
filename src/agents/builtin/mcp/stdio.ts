// A server as a child process, one JSON-RPC message a line. The SDK's own transport is not used: it adds variables of ours to the
// child's environment and leaves the children of the child running.
import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { isRecord } from '../../../base/json.ts'
import { startGroup, type Group } from '../../process/group.ts'
import { limits } from './spec.ts'

export type StdioTransport = Transport & {
  /** How it ended and the last it said on stderr; empty when there is nothing to tell. */
  lastWords(): string
}

export type Child = { command: readonly string[]; cwd: string; env: Readonly<Record<string, string>> }

const stderrKept = 4096
const newline = 10
/** To leave by itself when its input ends, and for its last output to arrive. */
const graceMs = { leave: 300, output: 200 }

export function createStdioTransport({ command, cwd, env }: Child): StdioTransport {
  let group: Group | undefined
  let gone: Promise<void> | undefined
  let ending = ''
  let stderr = ''

  const watch = async (running: Group): Promise<void> => {
    const { code, signal } = await running.exited
    ending = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`
    await running.end()
    await within(running.drained, graceMs.output) // a process that has left the group may hold the pipes for ever
    running.stdout.destroy()
    running.stderr.destroy()
    transport.onclose?.()
  }

  const transport: StdioTransport = {
    async start() {
      const [file, ...args] = command
      if (file === undefined || file === '') throw new Error('the command is empty')
      const running = await startGroup({ file, args, cwd, env, stdin: 'pipe', mark: randomUUID() }) // what leaves the group is found by the mark
      const lines = createLines((line) => {
        const message = parse(line)
        if (message !== undefined) transport.onmessage?.(message)
      })
      running.stdout.on('data', (chunk: Buffer) => {
        if (lines(chunk)) return
        running.stdout.destroy()
        stderr += `\na message was longer than ${limits.messageBytes} bytes`
        void running.end()
      })
      running.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-stderrKept)))
      group = running
      gone = watch(running)
    },

    send: (message) =>
      new Promise((resolve, reject) => {
        const stdin = group?.stdin
        if (!stdin?.writable) return reject(new Error('the server is not running'))
        stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
      }),

    async close() {
      if (group === undefined) return
      group.stdin?.end()
      if (!(await within(group.exited, graceMs.leave))) await group.end()
      await gone
    },

    lastWords() {
      const said = stderr.trim().split('\n').slice(-3).join('\n').slice(-500)
      return [ending, said === '' ? '' : `stderr: ${said}`].filter((part) => part !== '').join('; ')
    },
  }
  return transport
}

/** Cuts chunks into lines; false when a line has become too long. */
function createLines(onLine: (line: string) => void): (chunk: Buffer) => boolean {
  let pending: Buffer[] = []
  let bytes = 0
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      pending.push(chunk.subarray(start, end))
      onLine(Buffer.concat(pending).toString())
      pending = []
      bytes = 0
      start = end + 1
    }
    if (start < chunk.length) pending.push(chunk.subarray(start))
    bytes += chunk.length - start
    return bytes <= limits.messageBytes
  }
}

/** Servers print what they like: a line that is no JSON object is not for us. */
function parse(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? (value as JSONRPCMessage) : undefined // the client checks what kind of message it is
  } catch {
    return undefined
  }
}

async function within(done: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  const inTime = await Promise.race([done.then(() => true), late])
  clearTimeout(timer)
  return inTime
}
