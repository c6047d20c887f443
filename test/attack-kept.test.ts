// Whole runs in which the agent prepares what git would run, or prints what must not stay on disk.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { all, model, type Place, place, tell } from './run-support.ts'

const bash = (command: string, workdir?: string): Rec => ({ name: 'bash', input: { command, ...(workdir !== undefined && { workdir }) } })
const write = (filePath: string, content: string): Rec => ({ name: 'write', input: { filePath, content } })
const permit = (...rules: string[]): string[] => rules.flatMap((rule) => ['--permission', rule])

/** The calls are made one after another. */
async function statuses(t: TestContext, here: Place, tools: readonly Rec[], ...args: string[]): Promise<string[]> {
  const script = JSON.stringify({ turns: [...tools.map((tool) => ({ tools: [tool] })), { text: 'done' }] })
  const { args: named, env } = await model(t, here, 'anthropic', script)
  const told = await tell(here, ['go', ...args, ...named], { env })
  assert.equal(told.code, 0, told.stderr)
  return all(told.sluice, 'tool.end').map(({ status }) => String(status))
}

const config = (here: Place): string =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch '${here.top}/run'; false"\n`

suite('a bare repository in a folder that the agent may write', () => {
  test('is not made without a question', async (t) => {
    const here = place(t)
    const wrote = ['src/evil/HEAD', 'src/evil/head', 'src/evil/config', 'src/evil/objects/keep', 'src/evil/refs/heads/keep']
    const said = await statuses(
      t,
      here,
      wrote.map((path) => write(path, path.endsWith('config') ? config(here) : 'ref: refs/heads/main\n')),
      ...permit('write:src/*=allow', 'edit:src/*=allow'),
    )
    assert.deepEqual(said, ['denied', 'denied', 'ok', 'ok', 'ok'])
  })

  test('has its settings and hooks guarded where it exists', async (t) => {
    const here = place(t)
    spawnSync('git', ['init', '-q', '--bare', join(here.root, 'src/a')])
    const said = await statuses(
      t,
      here,
      [write('src/a/hooks/post-checkout', 'x'), write('src/a/commondir', 'x'), write('src/hooks/use.ts', 'x'), write('src/config', 'x')],
      ...permit('write=allow', 'edit=allow'),
    )
    assert.deepEqual(said, ['denied', 'denied', 'ok', 'ok'])
  })

  test('runs nothing by git status, however it came there', async (t) => {
    const here = place(t)
    const evil = join(here.root, 'src/evil')
    for (const folder of ['objects', 'refs/heads']) mkdirSync(join(evil, folder), { recursive: true })
    writeFileSync(join(evil, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(evil, 'config'), config(here))
    const plain = spawnSync('git', ['status'], { cwd: evil, env: { PATH: process.env['PATH'] } })
    assert.equal(existsSync(join(here.top, 'run')), true, `git alone does: ${plain.stderr.toString()}`)
    rmSync(join(here.top, 'run'))
    await statuses(
      t,
      here,
      [bash('git status', evil), bash('cd src/evil && git status'), bash('git -C src/evil status')],
      ...permit('bash=allow'),
    )
    assert.equal(existsSync(join(here.top, 'run')), false)
  })
})

suite('long outputs', () => {
  const key = `sk-ant-api03-${'Ab3'.repeat(31)}AA`
  const outputs = (here: Place): string => join(here.home, '.local/share/sluice/tool-output')

  test('are kept without keys, also where a key comes in two pieces', async (t) => {
    const here = place(t, { 'long.txt': `${'line\n'.repeat(20_000)}key=${key}\nmy-own-word-77\n${'line\n'.repeat(5000)}` })
    mkdirSync(join(here.home, '.config/sluice'), { recursive: true })
    writeFileSync(join(here.home, '.config/sluice/sluice.json'), JSON.stringify({ redact: { patterns: ['my-own-word-\\d+'] } }))
    const pieces = `seq 1 20000; printf %s ${key.slice(0, 20)}; sleep 0.2; echo ${key.slice(20)}; seq 1 9000`
    assert.deepEqual(await statuses(t, here, [bash('cat long.txt'), bash(pieces)], ...permit('bash=allow')), ['ok', 'ok'])
    const [session] = readdirSync(outputs(here))
    const files = readdirSync(join(outputs(here), session!)).map((name) => readFileSync(join(outputs(here), session!, name), 'utf8'))
    assert.equal(files.length, 2)
    for (const text of files) {
      assert.equal(text.includes(key), false)
      assert.match(text, /\[redacted:/)
      assert.doesNotMatch(text, /my-own-word-77/)
      assert.ok(text.endsWith('\n'))
    }
  })

  test('are removed with their session', async (t) => {
    const here = place(t)
    await statuses(t, here, [bash('seq 1 20000')], ...permit('bash=allow'))
    const [session] = readdirSync(outputs(here))
    await statuses(t, here, [bash('echo a')], ...permit('bash=allow'))
    assert.deepEqual(readdirSync(outputs(here)), [session], 'not before')
    rmSync(join(here.home, `.local/share/sluice/sessions/${session}.ndjson`))
    await statuses(t, here, [bash('echo a')], ...permit('bash=allow'))
    assert.deepEqual(readdirSync(outputs(here)), [])
  })
})
