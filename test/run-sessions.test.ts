// Sessions on disk: what continues one reads its file and nothing else, and the model gets the whole conversation.
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { claimSession } from '../src/log/claim.ts'
import { all, at, linesOf, model, type Model, type Place, place, sluice, tell, valid } from './run-support.ts'

const first = `turns:
  - {think: I look., text: Looking., tools: [{name: read, input: {filePath: notes.txt}}, {name: bash, input: {command: ls}}]}
  - {text: It says plum.}`

const files = (here: Place): string[] => readdirSync(here.sessions).map((name) => join(here.sessions, name))
const fileOf = (here: Place, session: unknown): string => join(here.sessions, `${String(session)}.ndjson`)

async function begun(here: Place, t: Parameters<typeof place>[0]): Promise<{ session: string; file: string }> {
  const { args } = await model(t, here, 'script', first)
  const { sluice: told } = await tell(here, ['what is in the notes?', ...args])
  const session = String(told[0]?.['session'])
  return { session, file: fileOf(here, session) }
}

/** What a second process sends to the model. */
async function sent(here: Place, next: Model, ...args: string[]): Promise<{ told: Rec[]; body: Rec }> {
  const { code, stdout, stderr } = await sluice(here, ['run', '--format', 'sluice', ...args, ...next.args], { env: next.env })
  assert.equal(code, 0, stderr)
  return { told: linesOf(stdout), body: next.server!.entries.at(-1)!.body! }
}

suite('the file of a session', () => {
  test('holds what stdout told, and is for its owner only', async (t) => {
    const here = place(t, { 'notes.txt': 'plum\n' })
    const { args } = await model(t, here, 'script', first)
    const { stdout } = await tell(here, ['go', ...args])
    const [file] = files(here)
    assert.equal(readFileSync(file!, 'utf8'), stdout)
    assert.equal(statSync(file!).mode & 0o777, 0o600)
    assert.equal(statSync(dirname(file!)).mode & 0o777, 0o700)
  })

  test('lies under XDG_DATA_HOME when that is set', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const data = join(here.top, 'data')
    await sluice(here, ['run', 'go', ...args], { env: { XDG_DATA_HOME: data } })
    assert.equal(readdirSync(join(data, 'sluice/sessions')).length, 1)
  })
})

suite('going on', () => {
  test('with --continue and --resume: the model sees all that was said, done and refused', async (t) => {
    const here = place(t, { 'notes.txt': 'plum\n' })
    const { session, file } = await begun(here, t)
    for (const how of [['--continue'], ['--resume', session]]) {
      const { told, body } = await sent(here, await model(t, here, 'anthropic', 'turns: [{text: later}]'), 'and now?', ...how)
      assert.equal(told[0]?.['session'], session)
      assert.equal(told[0]?.['how'], 'resumed')
      const messages = body['messages'] as { role: string; content: Rec[] }[]
      assert.match(JSON.stringify(messages[0]), /what is in the notes\?/)
      assert.deepEqual(
        all(messages[1]!.content, 'tool_use').map(({ name }) => name),
        ['read', 'bash'],
      )
      const results = all(messages[2]!.content, 'tool_result')
      assert.match(JSON.stringify(results[0]), /plum/)
      assert.deepEqual([results[1]?.['is_error'], /needs permission/.test(JSON.stringify(results[1]))], [true, true])
      assert.match(JSON.stringify(messages[3]), /It says plum\./)
      assert.equal(at(messages.at(-1)?.content.at(-1), 'text'), 'and now?')
    }
    assert.equal(files(here).length, 1)
    await valid(here, [file])
    const turns = all(linesOf(readFileSync(file, 'utf8')), 'turn.start').map(({ turn }) => turn)
    assert.deepEqual(turns, [1, 2, 3])
  })

  test('through every API gives the conversation as that API wants it', async (t) => {
    const here = place(t, { 'notes.txt': 'plum\n' })
    const { session } = await begun(here, t)
    for (const face of ['openai', 'google', 'compatible'] as const) {
      const next = await model(t, here, face, 'turns: [{text: later}]')
      const { body } = await sent(here, next, 'and now?', '--fork', '--resume', session)
      const text = JSON.stringify(body)
      for (const part of ['what is in the notes?', 'Looking.', 'plum', 'It says plum.', 'and now?'])
        assert.ok(text.includes(part), `${face}: ${part}`)
    }
  })

  test('is refused while another run has not ended; a copy can go on', async (t) => {
    const here = place(t, { 'notes.txt': 'plum\n' })
    const { session, file } = await begun(here, t)
    const before = readFileSync(file, 'utf8')
    const { args } = await model(t, here, 'script', 'turns: [{text: later}]')
    const other = claimSession(here.sessions, session)
    for (const how of [['--continue'], ['--resume', session]]) {
      const { code, stderr } = await sluice(here, ['run', 'and now?', ...how, ...args])
      assert.equal(code, 2)
      assert.match(stderr, /is that of a run that has not ended \(process \d+\); wait for its end, or add --fork/)
    }
    assert.equal(readFileSync(file, 'utf8'), before)
    assert.equal((await sluice(here, ['run', 'and now?', '--continue', '--fork', ...args])).code, 0)
    other.release()
    assert.equal((await sluice(here, ['run', 'and now?', '--resume', session, ...args])).code, 0)
    await valid(here, [file])
  })

  test('with --fork leaves the old file as it was, and begins another that is whole', async (t) => {
    const here = place(t, { 'notes.txt': 'plum\n' })
    const { session, file } = await begun(here, t)
    const before = readFileSync(file, 'utf8')
    const { told, body } = await sent(here, await model(t, here, 'anthropic', 'turns: [{text: later}]'), 'and now?', '--continue', '--fork')
    assert.equal(readFileSync(file, 'utf8'), before)
    const [start] = told
    assert.deepEqual([start?.['how'], start?.['forkedFrom']], ['forked', session])
    assert.notEqual(start?.['session'], session)
    assert.match(JSON.stringify(body), /It says plum\./)
    const copy = fileOf(here, start?.['session'])
    await valid(here, [copy])
    assert.equal(statSync(copy).mode & 0o777, 0o600)
    const again = await sent(
      here,
      await model(t, here, 'anthropic', 'turns: [{text: later}]'),
      'third',
      '--resume',
      String(start?.['session']),
    )
    assert.match(JSON.stringify(again.body), /It says plum\.[^]*and now\?[^]*third/)
  })

  test('with --continue takes the last session of this folder, not of another', async (t) => {
    const here = place(t, { 'notes.txt': 'plum\n', 'other/x.txt': '' })
    const { session } = await begun(here, t)
    const { args } = await model(t, here, 'script', 'turns: [{text: elsewhere}]')
    await sluice(here, ['run', 'go', '--dir', 'other', ...args])
    const { told } = await sent(here, await model(t, here, 'anthropic', 'turns: [{text: later}]'), 'and now?', '--continue')
    assert.equal(told[0]?.['session'], session)
  })

  test('with a file whose last line was never finished loses that line only', async (t) => {
    const here = place(t, { 'notes.txt': 'plum\n' })
    const { session, file } = await begun(here, t)
    appendFileSync(file, '{"v":1,"seq":99,"kind":"tex')
    const { body } = await sent(here, await model(t, here, 'anthropic', 'turns: [{text: later}]'), 'and now?', '--resume', session)
    assert.match(JSON.stringify(body), /It says plum\./)
    await valid(here, [file])
  })

  test('with a file that is none is refused, and so is a path', async (t) => {
    const here = place(t)
    await begun(here, t)
    writeFileSync(fileOf(here, 'ses_broken'), '{"v":1,"seq":1,"kind":"notice","level":"info","text":"x"}\n')
    for (const id of ['ses_broken', '../../../etc/passwd', 'ses_none', '']) {
      const { code, stdout, stderr } = await sluice(here, ['run', 'go', '--model', 'script/demo', '--format', 'sluice', '--resume', id])
      assert.deepEqual([code, stdout], [2, ''], id)
      assert.match(stderr, /^sluice: /)
    }
  })
})

test('two runs side by side are two sessions', async (t) => {
  const here = place(t)
  const { args } = await model(t, here, 'script', 'turns: [{text: hello there, chunk: 1, delay: 2ms}]')
  await Promise.all([1, 2].map(() => sluice(here, ['run', 'go', ...args])))
  assert.equal(files(here).length, 2)
  await valid(here, files(here))
})
