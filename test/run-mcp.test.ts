// MCP servers of a run: their tools are in the catalogue and in the model's list, both the same; one that hangs or fails shows.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { all, at, eventually, gone, isAlive, model, one, place, start, tell } from './run-support.ts'

const program = join(import.meta.dirname, 'mcp-server.ts')
const server = (...ways: string[]): Rec => ({ command: ['node', program, ...ways] })
const settings = (mcp: Record<string, Rec>): Record<string, string> => ({ '~/.config/sluice/sluice.json': JSON.stringify({ mcp }) })

suite('an MCP server', () => {
  test('gives its tools to the catalogue and to the model, the same ones', async (t) => {
    const here = place(t, settings({ 'my.files': server(), odd: server('hostile') }))
    const turns = [{ tools: [{ name: 'my_files_echo', input: { text: 'plum' } }] }, { text: 'done' }]
    const names = { anthropic: 'name', openai: 'name', compatible: 'function.name', google: 'name' } as const
    for (const face of ['anthropic', 'openai', 'compatible', 'google'] as const) {
      const { args, env, server: api } = await model(t, here, face, JSON.stringify({ turns }))
      const told = await tell(here, ['go', '--permission', 'my_files_*=allow', ...args], { env })
      assert.equal(told.code, 0, told.stderr)
      const { body } = api!.entries[0]!
      const offered = (face === 'google' ? at(body, 'tools', 0, 'functionDeclarations') : at(body, 'tools')) as Rec[]
      const sent = offered.map((tool) => String(at(tool, ...names[face].split('.'))))
      const listed = one(told.aictrl, 'tool_catalog')['tools'] as { name: string; source: string; server?: string }[]
      assert.deepEqual(listed.map(({ name }) => name).toSorted(), sent.toSorted(), face)
      const ofServer = listed.filter(({ source }) => source === 'mcp')
      assert.ok(ofServer.some(({ name, server: from }) => name === 'my_files_echo' && from === 'my.files'))
      assert.ok(ofServer.some(({ server: from }) => from === 'odd'))
      assert.ok(sent.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name)))
      assert.match(JSON.stringify(one(told.sluice, 'tool.end')), /echo: plum/)
    }
  })

  test('may call nothing that no rule allows', async (t) => {
    const log = 'calls.log'
    const here = place(t, settings({ files: server(`log=${log}`) }))
    const { args } = await model(
      t,
      here,
      'script',
      JSON.stringify({ turns: [{ tools: [{ name: 'files_fail', input: {} }] }, { text: 'done' }] }),
    )
    const told = await tell(here, ['go', ...args])
    assert.equal(one(told.sluice, 'tool.end')['status'], 'denied')
    assert.doesNotMatch(readFileSync(join(here.root, log), 'utf8'), /tools\/call/)
  })

  test('that hangs delays the run by its limit and no more, shows, and is ended', async (t) => {
    const log = 'pids.log'
    const here = place(t, settings({ slow: { ...server('hang', 'stubborn', `log=${log}`), timeout: '600ms' }, good: server() }))
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const told = await tell(here, ['go', ...args])
    assert.equal(told.code, 0)
    const [start] = told.sluice
    const waited = Number(one(told.sluice, 'turn.start')['at']) - Number(start?.['at'])
    assert.ok(waited < 4000, `${waited} ms`)
    const servers = all(told.sluice, 'catalog.update')[0]?.['servers'] as Rec[]
    assert.deepEqual(
      servers.map(({ name, status }) => [name, status]),
      [
        ['slow', 'timeout'],
        ['good', 'connected'],
      ],
    )
    assert.match(JSON.stringify(all(told.aictrl, 'error')), /MCP server slow failed/)
    assert.equal(one(told.aictrl, 'session_complete')['error'], null)
    const pid = Number(/pid (\d+)/.exec(readFileSync(join(here.root, log), 'utf8'))?.[1])
    await eventually(() => !isAlive(pid), 'the end of the server')
  })

  test('that dies at its start, or is not there, shows, and the run goes on without it', async (t) => {
    const here = place(t, settings({ dead: server('fail'), none: { command: ['no-such-program-here'] } }))
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const told = await tell(here, ['go', ...args])
    assert.equal(told.code, 0)
    assert.equal(all(told.aictrl, 'error').length, 2)
    assert.deepEqual(
      (
        one(
          told.claude.filter(({ subtype }) => subtype === 'init'),
          'system',
        )['mcp_servers'] as Rec[]
      ).map(({ status }) => status),
      ['failed', 'failed'],
    )
  })

  test('that hangs in a call ends with the run', async (t) => {
    const log = 'calls.log'
    const here = place(t, settings({ files: server(`log=${log}`) }))
    const turns = [{ tools: [{ name: 'files_hang', input: {} }] }]
    const { args } = await model(t, here, 'script', JSON.stringify({ turns }))
    const told = await tell(here, ['go', '--permission', '*=allow', '--timeout', '2s', ...args])
    assert.equal(told.code, 124)
    assert.match(readFileSync(join(here.root, log), 'utf8'), /hanging/)
    assert.equal(one(told.sluice, 'tool.end')['status'], 'cancelled')
  })

  test('that will not go is gone all the same when sluice is killed', async (t) => {
    const here = place(t, settings({ files: server('stubborn') }))
    const { args } = await model(t, here, 'script', 'turns: [{text: "so slow", chunk: 3, delay: 20s}]')
    const live = start(here, ['run', 'go', '--format', 'sluice', ...args])
    await live.until('message.start')
    live.child.kill('SIGKILL')
    await live.ended
    await gone(here)
  })

  test('of a project that nobody trusts is never started', async (t) => {
    const here = place(t)
    here.write('sluice.json', JSON.stringify({ mcp: { spy: server(`log=${join(here.top, 'spied')}`) } }))
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const told = await tell(here, ['go', ...args])
    assert.equal(existsSync(join(here.top, 'spied')), false)
    assert.match(JSON.stringify(all(told.sluice, 'notice')), /MCP server spy/)
    await tell(here, ['go', ...args, '--trust-project'])
    assert.equal(existsSync(join(here.top, 'spied')), true)
  })
})
