// Recordings that were compressed with gzip are read wherever a recording is read, as a stream; what cannot be is told.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { env, fixture, root, scratch, shell, sluice } from './run.ts'
import { quote } from './quote.ts'

const sample = fixture('claude/2.1.325/g-subagent-fg.ndjson')
const text = readFileSync(sample)
const packed = scratch('session.ndjson.gz', gzipSync(text))
const renamed = scratch('session.ndjson', gzipSync(text)) // the name does not count

suite('a compressed recording is read as the recording', () => {
  const commands = [
    ['convert', '--to', 'avenor'],
    ['convert', '--to', 'claude'],
    ['validate'],
    ['detect', '--json'],
    ['show'],
    ['digest', '--json'],
    ['watch'],
    ['watch', '--format', 'json'],
    ['usage', '--json'],
  ]
  for (const [name = '', ...options] of commands)
    test([name, ...options].join(' '), () => {
      const plain = sluice([name, sample, ...options])
      const told = (result: ReturnType<typeof sluice>, file: string) => [
        result.status,
        result.stdout.replaceAll(file, 'FILE'),
        result.stderr.replaceAll(file, 'FILE'),
      ]
      assert.equal(plain.status, 0, plain.stderr)
      assert.ok(plain.stdout.length > 0 || name === 'validate')
      for (const file of [packed, renamed]) assert.deepEqual(told(sluice([name, file, ...options]), file), told(plain, sample))
      if (name === 'usage') return
      const piped = sluice([name, '-', ...options], text)
      const line = `sluice ${name} - ${options.join(' ')}`
      for (const ran of [shell(`cat ${quote(packed)} | ${line}`), shell(`${line} < ${quote(packed)}`)]) {
        assert.deepEqual([ran.status, ran.stdout, ran.stderr], [piped.status, piped.stdout, piped.stderr])
      }
    })

  test('replay', () => {
    const run = (file: string) => sluice(['run', '--agent', `replay:${file}`, '--replay-speed', '0', '--format', 'avenor', 'again'])
    const names = (out: string): unknown[] =>
      out
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: unknown }).event)
    const [plain, again] = [run(sample), run(packed)]
    assert.deepEqual([again.status, plain.status], [0, 0], again.stderr)
    assert.deepEqual(names(again.stdout), names(plain.stdout))
  })

  test('several members, one after another', () => {
    const [half, rest] = [text.subarray(0, 1000), text.subarray(1000)]
    const file = scratch('parts.gz', Buffer.concat([gzipSync(half), gzipSync(rest)]))
    assert.equal(sluice(['convert', file, '--to', 'claude']).stdout, text.toString())
  })
})

test('what is cut off or damaged is told, after what could be read', () => {
  const whole = gzipSync(Buffer.concat(Array.from({ length: 50 }, () => text)))
  const cut = scratch('cut.gz', whole.subarray(0, whole.length - 200))
  for (const ran of [sluice(['convert', cut, '--to', 'claude']), shell(`cat ${quote(cut)} | sluice convert --to claude`)]) {
    assert.equal(ran.status, 1)
    assert.match(ran.stderr, /^sluice: (".*cut\.gz"|stdin) is cut off: the gzip data in it does not end\n$/)
    assert.ok(ran.stdout.startsWith(text.toString().slice(0, 1000)))
  }
  const damaged = Buffer.from(whole)
  damaged.fill(0xff, 2000, 2100)
  const ran = sluice(['show', scratch('bad.gz', damaged)])
  assert.equal(ran.status, 1)
  assert.match(ran.stderr, /^sluice: ".*bad\.gz" is damaged: the gzip data in it cannot be read\n$/)
})

test('following it, and a cursor in it, are refused', () => {
  const follow = sluice(['watch', '--follow', packed])
  assert.deepEqual([follow.status, follow.stdout], [2, ''])
  assert.match(follow.stderr, /is compressed with gzip: it is read without --follow\n$/)
  const cursor = sluice(['watch', '--since-cursor', scratch('cursor', '0\n'), packed])
  assert.deepEqual([cursor.status, cursor.stdout], [2, ''])
  assert.match(cursor.stderr, /is compressed with gzip: it is read without --since-cursor\n$/)
})

test('few bytes that become very many take no more memory', () => {
  const line = `{"kind":"assistant_delta","text":"${'x'.repeat(1000)}"}\n`
  const block = gzipSync(line.repeat(64 * 1024)) // 64 MiB each
  const bomb = scratch(
    'bomb.gz',
    Buffer.concat([gzipSync('{"kind":"user_prompt","text":"hi"}\n'), ...Array.from({ length: 8 }, () => block)]),
  )
  const hook = 'data:text/javascript,process.on("exit",()=>console.error(`peak ${process.resourceUsage().maxRSS}`))'
  const args = ['--import', hook, join(root, 'dist/cli.js'), 'convert', bomb, '--from', 'appctl', '--to', 'appctl']
  const { stderr, status } = spawnSync(process.execPath, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', openSync('/dev/null', 'w'), 'pipe'],
  })
  assert.equal(status, 0, stderr)
  const peak = Number(/^peak (\d+)$/m.exec(stderr)?.[1])
  assert.ok(peak > 0 && peak < 250_000, `${peak} KiB for 512 MiB`)
})
