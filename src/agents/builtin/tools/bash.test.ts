import assert from 'node:assert/strict'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { bashTool } from './bash.ts'
import { createProject } from './support.test.ts'

const project = await createProject()
const { call, plan, root } = project

test('both outputs are told as they come and kept in that order', async () => {
  const result = await call(bashTool, { command: 'echo one; sleep 0.05; echo two >&2; sleep 0.05; echo three', description: 'counts' })
  assert.equal(result.text, 'one\ntwo\nthree\n')
  assert.equal(result.output, result.text)
  assert.equal(result.exitCode, 0)
  assert.equal(result.failed, undefined)
  assert.deepEqual(result.data, { output: 'one\ntwo\nthree\n', exit: 0, description: 'counts', truncated: false })
})

test('the exit code is told when it is not 0; a signal counts as a shell counts it', async () => {
  const failed = await call(bashTool, { command: 'printf oops; exit 3' })
  assert.deepEqual([failed.text, failed.exitCode], ['oops\n[exit code 3]', 3])
  assert.equal((await call(bashTool, { command: 'kill -9 $$' })).exitCode, 137)
  assert.equal((await call(bashTool, { command: 'true' })).text, '[no output]')
})

test('the question is about the command and its folder', async () => {
  const { ask, title } = await plan(bashTool, { command: 'ls' })
  assert.deepEqual(ask, { permission: 'bash', patterns: [], command: { text: 'ls', cwd: root } })
  assert.equal(title, 'ls')
  symlinkSync(project.outside, join(root, 'away'))
  const away = await plan(bashTool, { command: 'ls', workdir: 'away' })
  assert.deepEqual(away.ask?.command, { text: 'ls', cwd: project.outside })
  assert.deepEqual(away.ask?.paths, [project.outside])
})

test('what cannot be run is refused with a reason', async () => {
  await assert.rejects(plan(bashTool, { command: ' ' }), /empty/)
  await assert.rejects(plan(bashTool, { command: 'a\0b' }), /NUL/)
  await assert.rejects(plan(bashTool, { command: 'ls', workdir: 'nowhere' }), /"nowhere" is not a folder/)
  await assert.rejects(plan(bashTool, { command: `echo ${'x'.repeat(200_000)}` }), /write it to a file/)
})

test('a child sees the given environment, its folder and no input', async () => {
  const { text } = await call(bashTool, { command: 'cat; pwd; env' })
  assert.equal(text.startsWith(`${root}\n`), true)
  assert.deepEqual(
    text.split('\n').filter((line) => /^[A-Z_]+=/.test(line) && !/^(PATH|PWD|OLDPWD|SHLVL|AGENT_RUN_MARK|_)=/.test(line)),
    [],
  )
})

test('of a long output the middle is left out, and all of it is on disk', async () => {
  const { text, data } = await call(bashTool, { command: 'seq 1 100000' })
  assert.ok(text.length < 31_000)
  assert.match(text, /^1\n2\n/)
  assert.match(text, /99999\n100000\n$/)
  assert.match(text, /characters left out; the whole output is in /)
  assert.equal(data?.['truncated'], true)
  assert.equal(readFileSync(String(data?.['outputPath']), 'utf8').split('\n').length, 100_001)
})

test('a command that takes too long is ended, children and all, and what it printed is told', async () => {
  const begun = performance.now()
  const result = await call(bashTool, { command: 'echo begun; (trap "" TERM; sleep 1000) & sleep 1000', timeout: 300 })
  assert.ok(performance.now() - begun < 3000)
  assert.match(result.text, /^begun\n\[the command was ended: it ran longer than its limit of 300 ms\]\n\[exit code 143\]$/)
  assert.equal(result.failed, true)
})

test('a cancelled call ends its command', async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 100)
  const result = await call(bashTool, { command: 'sleep 1000' }, stop.signal)
  assert.match(result.text, /the call was cancelled/)
  await assert.rejects(call(bashTool, { command: 'echo no' }, stop.signal), { name: 'AbortError' })
})

test('processes in the background do not hold the call, and the model hears that they were ended', async () => {
  const begun = performance.now()
  const holding = await call(bashTool, { command: 'sleep 1000 & echo started' })
  assert.match(holding.text, /^started\n\[processes that it left in the background were ended\]$/)
  assert.equal(holding.exitCode, 0)
  const silent = await call(bashTool, { command: 'sleep 1000 >/dev/null 2>&1 & echo started' })
  assert.match(silent.text, /left in the background were ended/)
  assert.ok(performance.now() - begun < 4000)
})

test('a process that leaves the group with the pipes in hand does not hold the call', async () => {
  const begun = performance.now()
  const { text } = await call(bashTool, { command: 'setsid sleep 3 & echo started' })
  assert.match(text, /^started\n/)
  assert.ok(performance.now() - begun < 2500)
})

test('what leaves the group of its call ends with it all the same', { skip: process.platform !== 'linux' }, async () => {
  const { text } = await call(bashTool, { command: 'setsid sh -c "echo \\$\\$; exec sleep 1000" & sleep 0.3' })
  const file = `/proc/${/^\d+$/m.exec(text)?.[0]}/cmdline`
  assert.ok(!existsSync(file) || readFileSync(file, 'utf8') === '') // gone, or dead and not yet buried
})
