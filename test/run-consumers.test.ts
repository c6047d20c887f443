// Who reads a run, and what it reads: outputs that go away, fill up or are not there, and where the prompt comes from.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, closeSync, constants, openSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { all, at, gone, linesOf, model, one, place, sluice, start, valid } from './run-support.ts'
import { command } from './run.ts'

const talkative = (finish: string): string => `turns: [{text: "${'word '.repeat(4000)}", chunk: 5, finish: ${finish}}]`

suite('a reader', () => {
  for (const [finish, code] of [
    ['stop', 0],
    ['length', 3],
  ] as const)
    test(`of stdout that goes away does not stop the run, nor change its exit code (${code})`, async (t) => {
      const here = place(t)
      const { args } = await model(t, here, 'script', talkative(finish))
      const file = join(here.top, 'all.ndjson')
      const child = spawn(command, ['run', 'go', '--format', 'sluice', '--on-event', `sluice:${file}`, ...args], {
        cwd: here.root,
        env: here.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      await once(createInterface(child.stdout), 'line')
      child.stdout.destroy()
      child.stderr.resume()
      const [exit] = (await once(child, 'close')) as [number]
      assert.equal(exit, code)
      const events = linesOf(readFileSync(file, 'utf8'))
      assert.equal(events.at(-1)?.['kind'], 'session.end')
      assert.ok(all(events, 'text.delta').length > 3000)
      await valid(here, [file])
      await gone(here)
    })

  test('of a pipe that reads no more is given up after a while, and the run goes on', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', talkative('stop'))
    const pipe = join(here.top, 'pipe')
    spawnSync('mkfifo', [pipe])
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
    t.after(() => closeSync(reader))
    const { code, stdout, stderr } = await sluice(here, ['run', 'go', '--format', 'sluice', '--on-event', pipe, ...args])
    assert.equal(code, 0)
    assert.equal(linesOf(stdout).at(-1)?.['kind'], 'session.end')
    assert.match(stderr, /pipe cannot be written any more .*the run goes on/)
  })

  test('that is not there: a pipe nobody opens is an error before the run', async (t) => {
    const here = place(t)
    const pipe = join(here.top, 'pipe')
    spawnSync('mkfifo', [pipe])
    const { code, stdout, stderr } = await sluice(here, ['run', 'go', '--format', 'sluice', '--on-event', pipe, '--model', 'script/demo'])
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /nobody reads this pipe/)
  })

  test('of a pipe gets every event as it comes', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{tools: [{name: bash, input: {command: "echo ready; sleep 600"}}]}]')
    const pipe = join(here.top, 'pipe')
    spawnSync('mkfifo', [pipe])
    const reader = spawn('cat', [pipe])
    const closed = once(reader, 'close')
    let read = ''
    const seen = new Promise<void>((resolve) =>
      reader.stdout.setEncoding('utf8').on('data', (text: string) => {
        read += text
        if (read.includes('"tool.call"')) resolve()
      }),
    )
    const live = start(here, ['run', 'go', '--on-event', pipe, '--permission', 'bash=allow', ...args])
    await seen // the run is still busy
    live.child.kill('SIGINT')
    assert.equal((await live.ended).code, 130)
    await closed
    assert.equal(linesOf(read).at(-1)?.['event'], 'session.end')
  })
})

suite('a file of --on-event', () => {
  test('is emptied, for its owner only, and Avenor by default', async (t) => {
    const here = place(t)
    const file = join(here.root, 'events.ndjson')
    writeFileSync(file, 'old\n'.repeat(10_000))
    chmodSync(file, 0o644)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const { code } = await sluice(here, ['run', 'go', '--on-event', 'events.ndjson', ...args])
    assert.equal(code, 0)
    const events = linesOf(readFileSync(file, 'utf8'))
    assert.deepEqual([events[0]?.['event'], events.at(-1)?.['event']], ['session.start', 'session.end'])
    assert.ok(events.every((event) => typeof event['run_id'] === 'string' && event['run_id'] === events[0]?.['run_id']))
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })

  test('may have a colon in its name: only dialects are prefixes', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const outs = ['--on-event', 'weird:name', '--on-event', 'aictrl:a:b', '--on-event', './claude:x']
    const { code } = await sluice(here, ['run', 'go', ...outs, ...args])
    assert.equal(code, 0)
    const first = (name: string): Rec | undefined => linesOf(readFileSync(join(here.root, name), 'utf8'))[0]
    assert.equal(first('weird:name')?.['event'], 'session.start')
    assert.equal(first('a:b')?.['type'], 'session_start')
    assert.equal(first('claude:x')?.['event'], 'session.start')
  })

  test('is not what was meant to be a dialect', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const cases: [string, RegExp][] = [
      ['codex:x', /--on-event "codex" can only be read; written can be sluice, .* \(for a file of this name, say "\.\/codex:x"\)/],
      ['avenr:x', /"avenr" is not a dialect; did you mean avenor\? \(for a file of this name, say "\.\/avenr:x"\)/],
      ['Claude:x', /did you mean claude\?/],
      ['pretty:x', /pretty is for stdout alone \(for a file of this name, say/],
      ['claude:', /names no file/],
      ['-', /--on-event "-": for stdout say --format avenor; for a file of this name, "\.\/-"/],
      ['claude:-', /for stdout say --format claude/],
      ['/dev/null/x', /cannot write to "\/dev\/null\/x": /],
    ]
    for (const [out, message] of cases) {
      const { code, stdout, stderr } = await sluice(here, ['run', 'go', '--on-event', out, ...args])
      assert.match(stderr, message)
      assert.deepEqual([code, stdout], [2, ''], out)
    }
    assert.deepEqual(readdirSync(here.root), ['.git'])
    assert.equal((await sluice(here, ['run', 'go', '--on-event', './codex:x', '--on-event', 'C:x', '--on-event', './-', ...args])).code, 0)
    assert.deepEqual(readdirSync(here.root).sort(), ['-', '.git', 'C:x', 'codex:x'])
  })

  test('is none of those that the run reads, and neither is the sentinel', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    writeFileSync(join(here.root, 'mine'), '{"event":"session.start","session_id":"s","ts":1}\n')
    for (const read of [
      ['go', '--agent', 'replay:mine'],
      ['--prompt-file', 'mine', ...args],
      ['go', '--file', 'mine', ...args],
      ['go', '--model', 'script/mine'],
    ])
      for (const written of [
        ['--on-event', 'aictrl:mine'],
        ['--sentinel-file', 'mine'],
      ]) {
        const { code, stderr } = await sluice(here, ['run', ...read, ...written])
        assert.match(stderr, /^sluice: --(on-event|sentinel-file) ".*mine" would be lost/)
        assert.equal(code, 2)
      }
    assert.equal(statSync(join(here.root, 'mine')).size, 50)
  })

  test('two of them on one file are refused, by whatever name', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    symlinkSync('twice', join(here.root, 'also'))
    for (const other of ['twice', 'claude:./twice', 'appctl:also']) {
      const { code, stderr } = await sluice(here, ['run', 'go', '--on-event', 'twice', '--on-event', other, ...args])
      assert.match(stderr, /^sluice: --on-event ".*" is named twice: each would write over the other; name another file\n$/)
      assert.equal(code, 2)
      writeFileSync(join(here.root, 'twice'), 'precious')
    }
    assert.equal(readFileSync(join(here.root, 'twice'), 'utf8'), 'precious')
    const { code } = await sluice(here, ['run', 'go', '--on-event', '/dev/null', '--on-event', 'claude:/dev/null', ...args])
    assert.equal(code, 0)
  })
})

test('pipes for events may be opened in any order', async (t) => {
  const here = place(t)
  const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
  spawnSync('mkfifo', ['pa', 'pb'], { cwd: here.root })
  const reader = spawn('/bin/sh', ['-c', 'exec 3< pb 4< pa; cat <&3; cat <&4'], { cwd: here.root, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(reader, 'close')
  let read = ''
  reader.stdout.on('data', (text: Buffer) => (read += text.toString()))
  const { code, stderr } = await sluice(here, ['run', 'go', '--on-event', 'pa', '--on-event', 'claude:pb', ...args])
  assert.equal(code, 0, stderr)
  await closed
  assert.match(read, /"type":"result"[^]*"event":"session.end"/)
})

suite('the prompt', () => {
  const hi = 'turns: [{text: hi}]'
  const promptIn = (stdout: string): unknown => one(linesOf(stdout), 'user_prompt')['text']

  test('is given: stdin is not read, though it never ends', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', hi)
    const { code, stdout } = await sluice(here, ['run', 'say', 'hi', '--format', 'appctl', ...args], { open: true })
    assert.deepEqual([code, promptIn(stdout)], [0, 'say hi'])
  })

  for (const [words, what] of [
    [['-'], '-'],
    [[], 'nothing'],
  ] as const)
    test(`is ${what}: it is read from stdin`, async (t) => {
      const here = place(t)
      const { args } = await model(t, here, 'script', hi)
      const { code, stdout } = await sluice(here, ['run', ...words, '--format', 'appctl', ...args], { input: 'two\nlines ünï\n' })
      assert.deepEqual([code, promptIn(stdout)], [0, 'two\nlines ünï'])
    })

  test('comes from --prompt-file; both, or an empty one, are wrong usage', async (t) => {
    const here = place(t, { 'ask.txt': 'from a file', 'empty.txt': ' \n' })
    const { args } = await model(t, here, 'script', hi)
    const run = (...more: string[]) => sluice(here, ['run', '--format', 'appctl', ...args, ...more], { open: true })
    assert.equal(promptIn((await run('--prompt-file', 'ask.txt')).stdout), 'from a file')
    assert.equal((await run('words', '--prompt-file', 'ask.txt')).code, 2)
    assert.equal((await run('--prompt-file', 'empty.txt')).code, 2)
    assert.equal((await run('--prompt-file', 'none.txt')).code, 2)
    assert.equal((await sluice(here, ['run', '-', ...args], { input: '' })).code, 2)
  })

  test('comes with files: texts and pictures reach the model', async (t) => {
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    for (const face of ['anthropic', 'openai', 'google', 'compatible'] as const) {
      const here = place(t, { 'notes.txt': 'the secret word is plum' })
      writeFileSync(join(here.root, 'dot.png'), picture)
      const { args, env, server } = await model(t, here, face, hi)
      const more = ['--file', 'notes.txt', '--file', 'dot.png']
      const { code, stdout, stderr } = await sluice(here, ['run', 'look', '--format', 'sluice', ...more, ...args], { env })
      assert.equal(code, 0, stderr)
      const body = JSON.stringify(server!.entries[0]!.body)
      assert.match(body, /the secret word is plum/, face)
      assert.match(body, /notes\.txt/, face)
      assert.ok(body.includes(picture.toString('base64')), face)
      assert.equal((at(one(linesOf(stdout), 'prompt.submit'), 'content') as Rec[]).length, 2)
    }
  })

  test('comes with a file that cannot be used: wrong usage', async (t) => {
    const here = place(t)
    writeFileSync(join(here.root, 'blob.bin'), Buffer.from([1, 0, 2]))
    const { args } = await model(t, here, 'script', hi)
    for (const file of ['blob.bin', 'none.txt', '.'])
      assert.equal((await sluice(here, ['run', 'look', '--file', file, ...args])).code, 2, file)
  })
})

test('pretty is the default, and the last line of stderr sums up', async (t) => {
  const here = place(t)
  const { args } = await model(t, here, 'script', 'model: anthropic/claude-sonnet-4-5\nturns: [{text: Hello there.}]')
  const { code, stdout, stderr } = await sluice(here, ['run', 'go', ...args])
  assert.equal(code, 0)
  assert.match(stdout, /Hello there\./)
  assert.match(stderr, /^sluice: done · .* · 1 model call · 120 tokens · \$0\.00060? \(scripted model, no real cost\) · ses_\w+\n$/)
})
