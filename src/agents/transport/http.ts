// A program that is an HTTP server on this machine: its output is a stream of server-sent events, and it is spoken to by requests. It
// gets a password of its own, for other programs of the machine can reach it as well.
import { randomBytes, randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGroup } from '../process/group.ts'
import { linesOf } from '../process/lines.ts'
import type { Exit, Reply, Request, Transport } from './contract.ts'
import { drain } from './drain.ts'

export type HttpServer = {
  /** The path of its events. */
  events: string
  /** How it is told its password, in its environment. */
  login(password: string): { user: string; env: Readonly<Record<string, string>> }
}

/** The server prints it; the password goes nowhere else than to this machine. */
const address = /\bhttp:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+/

const maxReply = 32 * 2 ** 20 // characters
/** For its exit to say why the events ended; for open requests, when it has to leave; and to leave. */
const times = { exit: 200, reply: 500, leave: 1000 }

const unanswered = (why: unknown): Reply => ({ status: 0, body: (why as Error).message })

export const http = ({ events, login }: HttpServer): Transport => ({
  async start(program) {
    const password = randomBytes(18).toString('hex')
    const { user, env } = login(password)
    const headers = { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`, 'content-type': 'application/json' }
    const group = await startGroup({ ...program, env: { ...program.env, ...env }, mark: randomUUID() })
    const output = new PassThrough()
    const stderr = new PassThrough()
    const agent = new Agent({ keepAlive: true }) // one of our own goes through no proxy
    const open = new Set<Promise<void>>() // requests
    let waiting: (() => void)[] | undefined = []
    let base: string | undefined
    let isLeaving = false
    let isBroken = false

    const say = (line: string): void => void stderr.write(`${line}\n`)

    const reach = ({ method, path, body }: Request): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const made = httpRequest(`${base}${path}`, { method, headers, agent }, resolve).on('error', reject)
        made.end(body === undefined ? undefined : JSON.stringify(body))
      })

    async function readEvents(): Promise<void> {
      try {
        const response = await reach({ method: 'GET', path: events })
        if (response.statusCode !== 200) throw new Error(`the server answered ${response.statusCode}`)
        response.once('data', () => {
          for (const make of waiting ?? []) make()
          waiting = undefined
        })
        response.pipe(output, { end: false })
        await finished(response)
        throw new Error('the server ended it')
      } catch (error) {
        output.end()
        await breakOff((error as Error).message)
      }
    }

    /** Without events nobody knows what goes on. The exit of the server ends them as well, and says more. */
    async function breakOff(why: string): Promise<void> {
      const timer = new AbortController()
      const hasExited = await Promise.race([group.exited, sleep(times.exit, undefined, { signal: timer.signal }).catch(() => {})])
      timer.abort()
      if (hasExited !== undefined || isLeaving) return
      isBroken = true
      say(`the stream of events broke off: ${why}`)
      void group.end(times.leave)
    }

    function request(one: Request, then: (reply: Reply) => void): void {
      const made = reach(one).then(replyOf).catch(unanswered).then(then)
      open.add(made)
      void made.finally(() => open.delete(made))
    }

    /** It does not leave by itself, so any exit but the one that was asked for is a failure. */
    function meant(exit: Exit): Exit {
      if (isLeaving) return { code: 0, signal: null }
      return isBroken || exit.code === 0 ? { code: 1, signal: null } : exit
    }

    linesOf(group.stdout, (line) => {
      const found = base === undefined ? address.exec(line)?.[0] : undefined
      if (found === undefined) return say(line)
      base = found
      void readEvents()
    })
    group.stderr.pipe(stderr, { end: false })

    return {
      output,
      stderr,
      write() {},
      unread: () => 0,
      request: (one, then) => (waiting === undefined ? request(one, then) : void waiting.push(() => request(one, then))),
      close() {
        if (isLeaving) return
        isLeaving = true
        const limit = sleep(times.reply, undefined, { ref: false })
        void Promise.race([Promise.all(open), limit]).then(() => group.end(times.leave))
      },
      exited: group.exited.then(meant),
      async drain(limits) {
        if (base === undefined) output.end()
        await drain(group, output, limits)
        agent.destroy()
        stderr.end()
      },
      signal: group.signal,
      end: group.end,
      kill: group.kill,
    }
  },
})

async function replyOf(response: IncomingMessage): Promise<Reply> {
  let text = ''
  for await (const part of response.setEncoding('utf8')) {
    text += part as string
    if (text.length > maxReply) throw new Error(`the reply is longer than ${maxReply} characters`)
  }
  return { status: response.statusCode ?? 0, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
