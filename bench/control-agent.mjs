// An agent for the bench of the supervisor: speaks as Claude Code does over stream-json, waits for its prompt, and writes
//   flat ANSWERS SENTENCES     so many answers of the model, each of so many sentences, a call and its result, as fast as they are taken
//   paced RATE SECONDS PARITY  short pieces of text, each with the time of its writing in it, in every second window of time
// It leaves when its input is closed. Plain JavaScript: every millisecond of its start is waited for.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [how, ...numbers] = process.argv.slice(2)
const [first = 0, second = 0, parity = 0] = numbers.map(Number)
const WINDOW = 250 // milliseconds in which one of two agents writes and the other is silent
const session = process.argv[process.argv.indexOf('--session-id') + 1] ?? '00000000-0000-4000-8000-000000000000'
const model = 'claude-sonnet-4-5-20250929'
const NUMBER = '#########' // stands for the number of the answer, wherever it must differ from one to the next
const usage = {
  input_tokens: 12,
  cache_creation_input_tokens: 200,
  cache_read_input_tokens: 1000,
  output_tokens: 1,
  service_tier: 'standard',
}
let made = 0

const line = (record) => {
  const uuid = `${String(++made).padStart(8, '0')}-0000-4000-8000-000${NUMBER}`
  return `${JSON.stringify({ ...record, session_id: session, parent_tool_use_id: null, uuid })}\n`
}
const piece = (event) => line({ type: 'stream_event', event, api_message_id: `msg_${NUMBER}` })
const message = (content) => ({ id: `msg_${NUMBER}`, type: 'message', role: 'assistant', model, content, stop_reason: null, usage })
const says = (content) => line({ type: 'assistant', message: message(content), timestamp: '2026-11-15T20:00:21.448Z' })
const begins = () => piece({ type: 'message_start', message: message([]) })
const blockBegins = (index, block) => piece({ type: 'content_block_start', index, content_block: block })
const blockEnds = (index) => piece({ type: 'content_block_stop', index })
const textPiece = (text) => piece({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
const inputPiece = (text) => piece({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: text } })
const ends = (reason) =>
  piece({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 34 } }) + piece({ type: 'message_stop' })

/** One answer of the model: a text in pieces, a call whose input comes in pieces, and the result of the call. */
function answer(sentences) {
  const words = 'The handler reads the whole file before it looks at the size, so a large one is held in memory twice. '.repeat(sentences)
  const texts = words.match(/.{1,12}/gs)
  const input = { file_path: `/home/dev/work/project/src/part-${NUMBER}.ts`, offset: 1, limit: 400 }
  const inputs = JSON.stringify(input).match(/.{1,16}/gs)
  const id = `toolu_${NUMBER}`
  const code = `     1→export const part${NUMBER} = (value) => value + 1 // ${'one more line of code; '.repeat(2)}\n`.repeat(12)
  return [
    begins(),
    blockBegins(0, { type: 'text', text: '' }),
    ...texts.map(textPiece),
    says([{ type: 'text', text: words }]),
    blockEnds(0),
    blockBegins(1, { type: 'tool_use', id, name: 'Read', input: {} }),
    ...inputs.map(inputPiece),
    says([{ type: 'tool_use', id, name: 'Read', input }]),
    blockEnds(1),
    ends('tool_use'),
    line({ type: 'user', message: { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content: code }] } }),
  ].join('')
}

function write(bytes) {
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(1, bytes, done)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

function placesIn(bytes) {
  const places = []
  for (let at = bytes.indexOf(NUMBER); at !== -1; at = bytes.indexOf(NUMBER, at + 1)) places.push(at)
  return places
}

/** Many answers in one write; only the numbers in them are written anew. */
function flat(answers, sentences) {
  const together = 16
  const block = Buffer.from(answer(sentences).repeat(together))
  const places = placesIn(block)
  const each = places.length / together
  for (let number = 0; number < answers; number += together) {
    for (let at = 0; at < places.length; at++) block.write(String(number + Math.floor(at / each)).padStart(9, '0'), places[at], 'latin1')
    write(block)
  }
}

async function paced(rate, seconds) {
  const put = (text) => write(Buffer.from(text.replaceAll(NUMBER, '000000001')))
  put(begins() + blockBegins(0, { type: 'text', text: '' }))
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 1000 / rate))
    const now = process.hrtime.bigint() // the clock is the same for all processes of the machine
    if (Number((now / 1_000_000n / BigInt(WINDOW)) % 2n) === parity) put(textPiece(`at ${process.hrtime.bigint()} and on `))
  }
  put(blockEnds(0) + ends('end_turn'))
}

const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 1,
  num_turns: 1,
  result: 'done',
  stop_reason: 'end_turn',
  total_cost_usd: 0,
  usage,
  modelUsage: {},
  permission_denials: [],
  terminal_reason: 'completed',
}

const init = { type: 'system', subtype: 'init', cwd: process.cwd(), tools: ['Read'], mcp_servers: [], model, permissionMode: 'default' }

for await (const text of createInterface({ input: process.stdin })) {
  const { type, request_id, message: said } = JSON.parse(text)
  if (type === 'control_request') {
    write(Buffer.from(`${JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } })}\n`))
  } else if (type === 'user') {
    write(Buffer.from(line(init) + line({ type: 'user', message: said, isReplay: true })))
    if (how === 'flat') flat(first, second)
    else await paced(first, second)
    write(Buffer.from(line(result)))
  }
}
