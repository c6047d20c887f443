// A child process that is spoken to over its standard streams.
import { randomUUID } from 'node:crypto'
import { startGroup } from '../process/group.ts'
import type { Transport } from './contract.ts'
import { drain } from './drain.ts'

export const stdio: Transport = {
  async start(program) {
    const group = await startGroup({ ...program, stdin: 'pipe', mark: randomUUID() })
    const stdin = group.stdin!
    return {
      ...group,
      output: group.stdout,
      write: (text) => void stdin.write(text),
      unread: () => stdin.writableLength,
      close: () => void stdin.end(),
      drain: (times) => drain(group, group.stdout, times),
    }
  },
}
