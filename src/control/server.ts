// The control socket of a run: who reaches it sees what happens, and who has the token says what happens next. No connection owns it.
import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import { stringifyJson } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { type Listening, listenOn, sweep } from './listen.ts'
import { type Controlled, createMethods } from './methods.ts'
import { ControlError, tokenOf } from './places.ts'
import { codes, mostUnread, serveLines } from './rpc.ts'

const longestLine = 1 << 20
const mostConnections = 32
const graceMs = 1000
const mostGraceMs = 10_000
const mostWaiting = mostUnread - (1 << 20) // bytes that a subscriber has not taken yet, before he is served from the log

export type ControlServer = {
  /** Somebody is there who may answer questions. `onChange` hears of each who comes or goes. */
  mayAnswer(): boolean
  onChange(hear: () => void): () => void
  /** Those who are behind get a moment to read the rest. */
  close(): Promise<void>
}

export type ServeOptions = { path: string; strict: boolean; run: Controlled }

/** Throws a ControlError when the socket cannot be had. */
export async function serveControl({ path, strict, run }: ServeOptions): Promise<ControlServer> {
  const answering = new Set<Socket>()
  const hearing = new Set<() => void>()
  const changed = (): void => hearing.forEach((hear) => hear())

  function onSocket(socket: Socket): void {
    const handle = createMethods(run, {
      write: (text) => socket.write(text) || socket.writableLength < mostWaiting,
      isReading: () => socket.writableLength > 0,
      subscribed(subscription, mayAnswer) {
        socket.on('drain', () => subscription.drained())
        socket.on('close', () => {
          subscription.close()
          if (answering.delete(socket)) changed()
        })
        if (!mayAnswer) return
        answering.add(socket)
        changed()
      },
    })
    serveLines(socket, handle, longestLine)
  }

  const full = `${stringifyJson({ jsonrpc: '2.0', id: null, error: { code: codes.tooMany, message: 'too many connections; close one' } })}\n`
  const listening = await listenOn({ path, strict, most: mostConnections, full, onSocket })
  const token = tokenOf(path)
  const forget = (): void => rmSync(token, { force: true })
  try {
    writeToken(token, run.token)
  } catch (error) {
    forget()
    await listening.close()
    throw new ControlError(`the token of the run cannot be written to ${quoted(token, 200)}: ${(error as Error).message}`)
  }
  process.on('exit', forget)
  if (strict) sweep(dirname(path)).catch(() => {}) // nobody waits for it
  return {
    mayAnswer: () => answering.size > 0,
    onChange(hear) {
      hearing.add(hear)
      return () => hearing.delete(hear)
    },
    async close() {
      await served(run, listening)
      process.off('exit', forget)
      forget()
      await listening.close()
    },
  }
}

/** A file of our own: whatever had the name before is removed, and no link is followed. */
function writeToken(path: string, token: string): void {
  rmSync(path, { force: true })
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  writeSync(fd, `${token}\n`)
  closeSync(fd)
}

/** Until all have got everything. Who takes nothing for a moment is not waited for, and nobody for long. */
async function served({ feed }: Controlled, { connections }: Listening): Promise<void> {
  const isDone = (): boolean => feed.isServed() && [...connections].every(({ writableLength }) => writableLength === 0)
  const sum = (): number => [...connections].reduce((so, { bytesWritten, writableLength }) => so + bytesWritten - writableLength, 0)
  const deadline = performance.now() + mostGraceMs
  let taken = sum()
  for (let since = performance.now(); !isDone() && performance.now() < Math.min(deadline, since + graceMs);) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    const now = sum()
    if (now > taken) since = performance.now()
    taken = now
  }
}
