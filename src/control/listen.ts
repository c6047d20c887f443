// A socket that only we can reach, for as long as the run lasts. One that a dead run left behind is replaced; one that somebody
// listens on is not.
import { lstatSync, readdirSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { quoted } from '../base/text.ts'
import { ControlError, prepareFolder, socketOfToken } from './places.ts'

const patienceMs = 250

export type Listening = { connections: ReadonlySet<Socket>; close(): Promise<void> }

/** `most`: connections at once. One more is told `full` and closed. */
export type ListenOptions = { path: string; strict: boolean; most: number; full: string; onSocket(socket: Socket): void }

export async function listenOn({ path, strict, most, full, onSocket }: ListenOptions): Promise<Listening> {
  prepareFolder(path, strict)
  const connections = new Set<Socket>()
  // Who has said all may still be waiting for answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (connections.size >= most) return turnAway(socket, full)
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    onSocket(socket)
  })
  await bind(server, path, strict ? '--run-id' : 'path')
  server.on('error', () => {}) // no connection can be taken, for want of descriptors: the run goes on
  const forget = (): void => remove(path)
  process.on('exit', forget)
  return {
    connections,
    async close() {
      process.off('exit', forget)
      const closed = once(server, 'close')
      server.close() // the socket's file goes with it
      for (const socket of connections) socket.destroy()
      await closed
    },
  }
}

function turnAway(socket: Socket, full: string): void {
  socket.on('error', () => socket.destroy())
  socket.setTimeout(patienceMs, () => socket.destroy())
  socket.resume() // else what it has said would be in the way of what it is told
  socket.end(full)
}

/** `another`: what else can be chosen. */
async function bind(server: Server, path: string, another: string): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await listenPrivately(server, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || !isFirst)
        throw new ControlError(`cannot listen at ${quoted(path, 200)}: ${(error as Error).message}`)
      await removeStale(path, another)
    }
  }
}

async function listenPrivately(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177) // the file is made at once, and never for anybody else
  try {
    server.listen(path)
  } finally {
    process.umask(mask)
  }
  await once(server, 'listening')
}

async function removeStale(path: string, another = ''): Promise<void> {
  const before = lstatSync(path, { bigint: true })
  const [what, remedy] = before.isDirectory() ? ['folder', ''] : ['file', 'remove it, or ']
  if (!before.isSocket()) throw new ControlError(`${quoted(path, 200)} is a ${what}, not a socket; ${remedy}choose another ${another}`)
  if (await isAlive(path)) throw new ControlError(`another run listens at ${quoted(path, 200)}; choose another ${another}`)
  const now = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  if (now?.ino === before.ino && now.ctimeNs === before.ctimeNs) remove(path) // else another run has come first
}

const youngMs = 60_000 // a socket is there a moment before anybody listens on it

/** In a folder that is for sockets of ours alone: what killed runs left behind goes, their tokens too. */
export async function sweep(folder: string): Promise<void> {
  const names = readdirSync(folder)
  for (const name of names) {
    const path = join(folder, name)
    if (name.endsWith('.sock') && isOld(path)) await removeStale(path).catch(() => {}) // somebody listens, or it is no socket
  }
  for (const name of names) {
    const path = join(folder, name)
    const socket = socketOfToken(path)
    if (socket !== undefined && lstatSync(socket, { throwIfNoEntry: false }) === undefined && isOld(path)) remove(path)
  }
}

function isOld(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > youngMs
}

/** Only a refusal proves that nobody is there; who is merely busy lets us wait. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const done = (alive: boolean): void => {
      socket.destroy()
      resolve(alive)
    }
    socket.setTimeout(patienceMs, () => done(true))
    socket.on('connect', () => done(true))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => done(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
  })
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // it is gone
  }
}
