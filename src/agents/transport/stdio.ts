// A child process that is spoken to over its standard streams.
import { randomUUID } from 'node:crypto'
import { startGroup } from '../process/group.ts'
import type { Transport } from './contract.ts'
import { drain } from './drain.ts'

export const stdio: Transport = {
  async start(program, receiver) {
    const group = await startGroup({ ...program, stdin: 'pipe', mark: randomUUID() })
    const stdin = group.stdin!
    let outputAt = performance.now()
    group.stdout.on('data', (bytes: Buffer) => {
      outputAt = performance.now()
      receiver.onOutput(bytes)
    })
    group.stdout.once('end', () => receiver.onOutputEnd())
    group.stderr.on('data', (bytes: Buffer) => receiver.onStderr(bytes))
    return {
      write: (text) => void stdin.write(text),
      unread: () => stdin.writableLength,
      close: () => void stdin.end(),
      exited: group.exited,
      drain: (times) => drain(group, () => outputAt, times),
      signal: group.signal,
      end: group.end,
      kill: group.kill,
    }
  },
}
