// `opencode run` prints no end: its last words may be followed by more until it has left. A small program of ours around it says that the
// session rests, in the words of opencode's server, once it has. It needs nothing outside its own text, for it runs alone.

/** `node -e SOURCE PROGRAM ARGUMENT…` */
export const runSource = (): string => `(${around.toString()})()`

function around(): void {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const { createInterface } = process.getBuiltinModule('node:readline')
  const [file = '', ...args] = process.argv.slice(1)
  const run = spawn(file, args, { stdio: ['inherit', 'pipe', 'inherit'] })
  let session: string | undefined
  createInterface({ input: run.stdout }).on('line', (line) => {
    session ??= /"sessionID":"(ses_\w+)"/.exec(line)?.[1]
    process.stdout.write(`${line}\n`)
  })
  // A signal is for both: it must be the first to go.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  run.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(127)
  })
  run.on('close', (code, signal) => {
    if (signal !== null) {
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
      return
    }
    const rest = { type: 'session.idle', properties: { sessionID: session } }
    if (session !== undefined) process.stdout.write(`${JSON.stringify(rest)}\n`)
    process.exitCode = code ?? 1
    process.stdin.destroy()
  })
}
