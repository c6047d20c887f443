// The outputs of action.yml, as lines for $GITHUB_OUTPUT: the cost from the digest on stdin, the last answer from the log that is named.
// The answer is the agent's text: nothing in it ends the value, since the word that does is made up here.
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { createInterface } from 'node:readline'

const maxLength = 200_000 // GitHub takes 1 MiB for all outputs of a job

const { usage } = JSON.parse(await text(process.stdin))
let answer = ''
for await (const line of createInterface({ input: createReadStream(process.argv[2]), crlfDelay: Infinity })) {
  if (!line.includes('"kind":"session.end"')) continue
  const event = JSON.parse(line)
  if (event.kind === 'session.end') answer = event.text ?? ''
}
const end = randomUUID()
process.stdout.write(`cost=${usage.costUsd === 0 ? '' : usage.costUsd}\nanswer<<${end}\n${answer.slice(0, maxLength)}\n${end}\n`)
