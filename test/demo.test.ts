// `sluice demo` as a user runs it: a real run in a folder of its own, which leaves a mended project, legal streams and a digest, and nothing
// that runs.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Digest } from '../src/analyze/digest.ts'
import type { Event } from '../src/model/event.ts'
import { command, env, sluice } from './run.ts'

suite('sluice demo', () => {
  const place = mkdtempSync(join(tmpdir(), 'd-'))
  after(() => rmSync(place, { recursive: true, force: true }))
  let page = ''
  let folder = ''
  let events: Event[] = []

  before(() => {
    const began = Date.now()
    const made = spawnSync(command, ['demo'], { env: { ...env, TMPDIR: place }, encoding: 'utf8', timeout: 60_000 })
    assert.equal(made.status, 0, made.stderr)
    assert.ok(Date.now() - began < 15_000, `it took ${Date.now() - began} ms`)
    assert.match(made.stderr, /^sluice: done · [^\n]+\n$/)
    page = made.stdout
    folder = /^All of it is in (.+)$/m.exec(page)?.[1] ?? ''
    events = readFileSync(join(folder, 'streams/sluice.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Event)
  })

  test('without a folder for temporary files it says what to set', () => {
    const { status, stderr } = spawnSync(command, ['demo'], { env: { ...env, TMPDIR: '/dev/null/x' }, encoding: 'utf8' })
    assert.equal(status, 2)
    assert.match(stderr, /^sluice: the demo cannot make a folder in "\/dev\/null\/x": .+; set TMPDIR to a folder that is writable\n$/)
  })

  test('everything is in the one folder that it names, under the headings that it gives', () => {
    assert.deepEqual([dirname(folder), readdirSync(place).length], [place, 1])
    const told = page
      .slice(page.indexOf('All of it is in'))
      .split('\n')
      .flatMap((line) => /^ {2}(\S+?)\/? /.exec(line)?.[1] ?? [])
    assert.deepEqual(readdirSync(folder).toSorted(), told.toSorted())
  })

  test('the test of the project is green afterwards', () => {
    const { status, stdout } = spawnSync(process.execPath, ['--test'], { cwd: join(folder, 'project'), env, encoding: 'utf8' })
    assert.equal(status, 0, stdout)
    assert.match(readFileSync(join(folder, 'project/RELEASE.md'), 'utf8'), /^# Fixed/)
  })

  test('the stream of every dialect is legal', () => {
    const files = readdirSync(join(folder, 'streams'))
    assert.deepEqual(
      files.toSorted(),
      ['aictrl', 'appctl', 'avenor', 'claude', 'sluice'].map((name) => `${name}.ndjson`),
    )
    for (const file of files) {
      const { status, stdout, stderr } = sluice(['validate', '--json', join(folder, 'streams', file)])
      assert.equal(status, 0, `${file}\n${stdout}${stderr}`)
      assert.doesNotMatch(stdout, /"severity":"(?:warn|error)"/, file)
    }
  })

  test('a test that fails and then does not, a subagent, a skill, a plan and a refusal are in it, and are shown', () => {
    const ends = events.filter((event) => event.kind === 'tool.end')
    const tests = ends.filter(({ exitCode }) => exitCode !== undefined).map(({ exitCode }) => exitCode)
    assert.deepEqual(tests, [1, 0])
    assert.equal(ends.filter(({ status }) => status === 'denied').length, 1)
    const has = (kind: Event['kind']): boolean => events.some((event) => event.kind === kind)
    assert.ok(has('task.start') && has('task.end') && has('plan.update') && has('file.update'))
    assert.ok(events.some((event) => event.kind === 'skill.load' && event.level === 'loaded'))
    assert.ok(events.some((event) => event.kind === 'permission.answer' && event.decision === 'reject'))
    for (const words of [/● bash curl .*\| sh\n {2}✘ denied/, /│ ● grep/, /● skill release-note/, /▶ Find out who else/, /✔ done/])
      assert.match(page, words)
    assert.doesNotMatch(page, /allow by rule|· files/)
  })

  test('the command that it ends with can be given as it stands', () => {
    const [, line] = /^Look again: (.+)$/m.exec(page)!
    const { status, stderr } = spawnSync('/bin/sh', ['-c', line!], { env, cwd: process.cwd(), encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  })

  test('the digest is left for people and for programs', () => {
    const digest = JSON.parse(readFileSync(join(folder, 'digest.json'), 'utf8')) as Digest
    assert.deepEqual(
      digest.sessions[0]!.files.items.filter(({ changed }) => changed > 0).map(({ changed }) => changed),
      [1, 1],
    )
    assert.equal(digest.counts.denied, 1)
    assert.deepEqual(digest, JSON.parse(sluice(['digest', '--json', join(folder, 'streams/sluice.ndjson')]).stdout))
    assert.match(readFileSync(join(folder, 'digest.txt'), 'utf8'), /^ended +well, after 1 turn/m)
  })

  test('nothing is left running', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
    assert.deepEqual(runningIn(place), [])
  })
})

/** Processes that work in a folder, or were given it as their temporary one. */
function runningIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder) || readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder)
      } catch {
        return false // it is gone, or somebody else's
      }
    })
}
