// Where a child writes its output. Node gives a child sockets, and those cannot be opened by name: `echo x > /dev/stderr` fails. A named
// pipe can, even after its name is gone.
import { execFile } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

/** `ends` are for the child, and to be closed here once it has them. */
export type Pipes = { ends: number[]; outputs: Readable[]; closeEnds(): void }

/** Undefined where the system makes none, for want of space or of the program: then Node's own have to do. */
export async function createPipes(count: number): Promise<Pipes | undefined> {
  const opened: number[] = []
  const open = (path: string, flags: number): number => {
    const fd = openSync(path, flags)
    opened.push(fd)
    return fd
  }
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), 'sluice-pipe-'))
    const paths = Array.from({ length: count }, (_, at) => join(folder!, String(at)))
    await promisify(execFile)('mkfifo', ['-m', '600', '--', ...paths], { env: { PATH: '/usr/bin:/bin' } })
    // The reader first, or the writer would wait for one.
    const readers = paths.map((path) => open(path, constants.O_RDONLY | constants.O_NONBLOCK))
    const ends = paths.map((path) => open(path, constants.O_WRONLY))
    const outputs = readers.map((fd) => new Socket({ fd, readable: true, writable: false }))
    return { ends, outputs, closeEnds: () => ends.forEach((fd) => closeSync(fd)) }
  } catch {
    for (const fd of opened) closeSync(fd)
    return undefined
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}
