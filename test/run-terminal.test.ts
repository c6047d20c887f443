// `sluice run` in a real terminal: it shows that it is alive, leaves no trace of that, and a question has the terminal to itself.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createProject, type Project } from './project.ts'
import { command } from './run.ts'
import { openPane, type Pane } from './tmux.ts'

const until = (file: string, then = 'true'): object => ({
  name: 'bash',
  input: { command: `until test -e ${file}; do sleep 0.1; done; ${then}` },
})
const script = (...turns: object[]): string =>
  JSON.stringify({ model: 'anthropic/claude-sonnet-4-5', turns: turns.map((turn) => ({ usage: { input: 1000, output: 100 }, ...turn })) })

const working = (): Project =>
  createProject({ 'slow.yaml': script({ text: 'I wait.', tools: [until('go', 'echo it is there')] }, { text: 'That was all.' }) })
const asking = (): Project =>
  createProject({
    'slow.yaml': script(
      { tools: [until('go', 'echo first is done'), { name: 'write', input: { filePath: 'hello.txt', content: 'Hello\n' } }] },
      { text: 'That was all.' },
    ),
  })

const allow = ['--permission', 'bash=allow']
const run = ({ root, env }: Project, args: readonly string[] = [], more: Record<string, string> = {}, width = 80): Pane =>
  openPane([command, 'run', 'go', '--model', 'script/slow.yaml', ...allow, ...args], { cwd: root, env: { ...env, ...more }, width })

const frames = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/

function logOf({ home }: Project): string {
  const folder = join(home, '.local/share/sluice/sessions')
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

async function logged(project: Project, what: RegExp): Promise<string> {
  for (let tries = 0; tries < 400; tries++) {
    const log = logOf(project)
    if (what.test(log)) return log
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return assert.fail(`never told: ${String(what)}`)
}

suite('run on a terminal', { concurrency: 2 }, () => {
  test('it shows what it does and since when, and nothing of that is left', async () => {
    for (const width of [80, 120]) {
      using project = working()
      using pane = run(project, [], {}, width)
      await pane.shows(/● bash until test -e go.*\n[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] bash until test -e go.* · [1-9]\d* s$/)
      project.write('go', '')
      const screen = await pane.shows(/EXIT 0/)
      assert.match(screen, /✔ ok · .*\n {4}it is there\n\nThat was all\.\n\n✔ turn 1 /)
      const sum = screen.slice(screen.indexOf('sluice: done'), screen.indexOf('EXIT')).replaceAll('\n', '')
      assert.match(sum, /2 model calls · 2,200 tokens · \$0\.0090 \(scripted model, no real cost\) · ses_\S+$/)
      assert.doesNotMatch(pane.rows('all').join('\n'), frames)
    }
  })

  test('it has no colour under NO_COLOR, and nothing is written over on a dumb terminal, in CI, or in a pipe', async () => {
    using project = working()
    using pane = run(project, [], { NO_COLOR: '1' })
    await pane.shows(frames)
    project.write('go', '')
    await pane.shows(/EXIT 0/)
    for (const more of [{ TERM: 'dumb' }, { CI: 'true' }]) {
      using quiet = createProject({ 'slow.yaml': script({ tools: [{ name: 'bash', input: { command: 'sleep 1' } }] }, { text: 'Done.' }) })
      using other = run(quiet, [], more)
      await other.shows(/● bash sleep 1/)
      for (let tries = 0; !/EXIT/.test(other.rows().join('\n')) && tries < 200; tries++) {
        assert.doesNotMatch(other.rows().join('\n'), frames)
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      await other.shows(/EXIT 0/)
    }
    using piped = createProject({ 'slow.yaml': script({ tools: [{ name: 'bash', input: { command: 'sleep 1' } }] }, { text: 'Done.' }) })
    const { stdout, stderr } = spawnSync(command, ['run', 'go', '--model', 'script/slow.yaml', ...allow], {
      cwd: piped.root,
      env: piped.env,
      encoding: 'utf8',
    })
    assert.match(stdout, /Done\./)
    assert.doesNotMatch(stdout + stderr, /[\r\x1b⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/)
  })

  test('a run that is ended at once leaves the line as it was', async () => {
    using project = createProject({
      'slow.yaml': script({ tools: [{ name: 'bash', input: { command: "trap '' TERM; echo up; sleep 61; sleep 61" } }] }),
    })
    using pane = run(project)
    await pane.shows(/ · \d+ s · up$/)
    const pid = pane.pid()
    process.kill(pid, 'SIGINT')
    await logged(project, /"kind":"cancel\.request"/)
    process.kill(pid, 'SIGINT')
    await pane.shows(/EXIT 130/)
    assert.doesNotMatch(pane.rows('all').join('\n'), frames)
  })

  test('a question stays whole while other calls end, and a no can say why', async () => {
    using project = asking()
    using pane = run(project)
    const question =
      /\? Allow write\?\n {4}hello\.txt\n {4}\+Hello\n {2}waiting for you · n and a few words: no, and why\n {2}y Allow once · .* · n Reject:$/
    await pane.shows(question)
    project.write('go', '')
    await logged(project, /first is done\\n"/)
    const before = await pane.shows(question)
    assert.doesNotMatch(before, /^ {4}first is done$/m)
    assert.doesNotMatch(before, frames)
    pane.type('n use Pnpm, not npm')
    pane.press('Enter')
    const screen = await pane.shows(/EXIT 0/)
    assert.match(screen, /first is done/)
    assert.match(screen, /The user did not allow this call, and says: use Pnpm, not npm/)
    const events = logOf(project)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; text?: string; call?: string; durationMs?: number })
    const text = 'The user did not allow this call, and says: use Pnpm, not npm'
    assert.ok(events.some(({ kind, text: said }) => kind === 'permission.answer' && said === text))
    const ends = events.filter(({ kind, text: said }) => kind === 'tool.end' && said === text)
    assert.equal(ends.length, 1, 'the model is told')
    assert.ok(ends[0]!.durationMs! < 100, 'waiting is not the time of the call')
  })
})
