// The floor under the supervisor: starts the agent of the bench, gives it a prompt, reads its stdout line by line, and
//   parse          parses each line and keeps nothing; says how many lines, and how many milliseconds from the first to the last
//   relay SOCKET   writes each line to whoever connects to a Unix socket
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'

const [how, agent, path] = process.argv.slice(2)
const NEWLINE = 10

function start(onLine) {
  const child = spawn(agent, [], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.write('{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}\n')
  child.stdin.end('{"type":"user","message":{"role":"user","content":"go"}}\n')
  let rest = Buffer.alloc(0)
  child.stdout.on('data', (chunk) => {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      onLine(rest.length === 0 ? chunk.utf8Slice(from, end) : Buffer.concat([rest, chunk.subarray(from, end)]).toString())
      if (rest.length > 0) rest = Buffer.alloc(0)
      from = end + 1
    }
    if (from < chunk.length) rest = Buffer.concat([rest, chunk.subarray(from)])
  })
  return child.stdout
}

if (how === 'parse') {
  let lines = 0
  let began = 0
  const output = start((line) => {
    if (JSON.parse(line).type === 'stream_event' && began === 0) began = performance.now()
    lines++
  })
  output.on('close', () => console.log(JSON.stringify({ lines, ms: performance.now() - began })))
} else {
  const server = createServer((socket) => {
    start((line) => socket.write(`${line}\n`)).on('close', () => {
      socket.end()
      server.close()
    })
  })
  server.listen(path, () => console.log('ready'))
}
