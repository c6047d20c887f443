// A run that did not begin: it says why in one line, exits with 2 at once, and leaves no process and no server behind, also where MCP
// servers are configured.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { claimSession } from '../src/log/claim.ts'
import { type Place, place, processesOf, type Ran, sluice, start } from './run-support.ts'
import { command } from './run.ts'
import { openPane } from './tmux.ts'

const program = join(import.meta.dirname, 'mcp-server.ts')
const promptlyMs = 15_000 // far above what it takes on a busy machine, and far below the limits of servers

/** A project with a server that never gets ready, one that will not go, and one that is well. */
function withServers(t: TestContext): Place & { started: string } {
  const started = 'servers.log'
  const server = (...ways: string[]) => ({ command: ['node', program, ...ways, `log=${started}`], timeout: '120s' })
  const mcp = { hung: server('hang'), stubborn: server('stubborn'), good: server() }
  const here = place(t, { '~/.config/sluice/sluice.json': JSON.stringify({ mcp }), 'one.yaml': 'turns: [{text: hi}]' })
  return { ...here, started: join(here.root, started) }
}

const scripted = ['--model', 'script/one.yaml']
const unknown = 'ses_0000000000000000'

type Way = {
  args: readonly string[]
  says: RegExp
  env?: Record<string, string>
  input?: string
  before?(here: Place): unknown
}

const ways: Record<string, Way> = {
  '--continue without a session': { args: ['run', 'go', '--continue', ...scripted], says: /there is no session of .* to continue/ },
  '--resume of an unknown session': { args: ['run', 'go', '--resume', unknown, ...scripted], says: /there is no session "ses_0/ },
  '--resume of no id': { args: ['run', 'go', '--resume', '../x', ...scripted], says: /there is no session/ },
  '--fork of an unknown session': { args: ['run', 'go', '--resume', unknown, '--fork', ...scripted], says: /there is no session/ },
  '--continue --fork without a session': { args: ['run', 'go', '--continue', '--fork', ...scripted], says: /there is no session/ },
  'a session that another run holds': {
    args: ['run', 'go', '--resume', 'ses_taken', ...scripted],
    says: /is that of a run that has not ended/,
    before(here) {
      mkdirSync(here.sessions, { recursive: true })
      claimSession(here.sessions, 'ses_taken')
    },
  },
  'a session that is not one': {
    args: ['run', 'go', '--resume', 'ses_empty', ...scripted],
    says: /does not begin with its start/,
    before(here) {
      mkdirSync(here.sessions, { recursive: true })
      writeFileSync(join(here.sessions, 'ses_empty.ndjson'), '')
    },
  },
  'sessions that cannot be kept': {
    args: ['run', 'go', ...scripted],
    says: /the session cannot be kept in .*; make that folder writable, or set XDG_DATA_HOME to one that is$/m,
    before(here) {
      mkdirSync(join(here.sessions, '..'), { recursive: true })
      writeFileSync(here.sessions, 'a file')
    },
  },
  'an unknown agent': { args: ['run', 'go', '--agent', 'cluade'], says: /did you mean claude/ },
  'a recording that is not there': { args: ['run', '--agent', 'replay:none.ndjson'], says: /none\.ndjson/ },
  'a settings file that is not there': { args: ['run', 'go', '--settings', 'none.json', ...scripted], says: /none\.json/ },
  'settings that are wrong': {
    args: ['run', 'go', '--settings', 'bad.json', ...scripted],
    says: /bad\.json/,
    before: (here) => here.write('bad.json', '{"modle": "x"}'),
  },
  'an unknown profile': { args: ['run', 'go', '--profile', 'none', ...scripted], says: /none/ },
  'a model that is not known': { args: ['run', 'go', '--model', 'nobody/nothing'], says: /nobody/ },
  'a script that is not there': { args: ['run', 'go', '--model', 'script/none.yaml'], says: /none\.yaml/ },
  'no model at all': { args: ['run', 'go'], says: /no model is chosen/ },
  'an unknown format': { args: ['run', 'go', '--format', 'cluade', ...scripted], says: /did you mean claude/ },
  'an output that cannot be written': {
    args: ['run', 'go', '--on-event', 'one.yaml/x.ndjson', ...scripted],
    says: /cannot write to "one\.yaml\/x\.ndjson"/,
  },
  'an output whose name is too long': {
    args: ['run', 'go', '--on-event', `${'x'.repeat(300)}.ndjson`, ...scripted],
    says: /cannot write to "x+\.ndjson": .*too long/,
  },
  'a sentinel without a folder': { args: ['run', 'go', '--sentinel-file', 'none/x.done', ...scripted], says: /no such folder/ },
  'a socket path that is too long': {
    args: ['run', 'go', '--control-socket', `${'x'.repeat(200)}.sock`, ...scripted],
    says: /control|socket/,
  },
  'a socket path that is taken': {
    args: ['run', 'go', '--control-socket', 'taken.sock', ...scripted],
    says: /taken\.sock/,
    before: (here) => here.write('taken.sock', 'a file'),
  },
  'a webhook that is none': { args: ['run', 'go', '--webhook', 'ftp://x', ...scripted], says: /webhook/i },
  'a wrong redaction': { args: ['run', 'go', '--settings', 'redact.json', ...scripted], says: /redact/, before: wrongRedaction },
  'a folder that is not there': { args: ['run', 'go', '--dir', 'none', ...scripted], says: /none/ },
  'an attachment that is not there': { args: ['run', 'go', '--file', 'none.png', ...scripted], says: /none\.png/ },
  'a host whose session is not there': {
    args: ['claude', '-p', '--output-format', 'stream-json', '--verbose', '--resume', unknown, ...scripted, 'go'],
    says: /there is no session|No conversation found/,
  },
  'a host on stdin whose session is not there': {
    args: ['run', '--format', 'claude', '--input-format', 'claude', '--resume', unknown, ...scripted],
    input: `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n`,
    says: /there is no session/,
  },
}

function wrongRedaction(here: Place): void {
  here.write('redact.json', JSON.stringify({ redact: ['('] }))
}

async function check(here: Place & { started: string }, name: string, way: Way): Promise<Ran> {
  await way.before?.(here)
  const began = performance.now()
  const ran = await sluice(here, way.args, { ...(way.env && { env: way.env }), ...(way.input !== undefined && { input: way.input }) })
  const took = performance.now() - began
  assert.deepEqual([ran.code, ran.signal], [2, null], `${name}: ${ran.stderr}`)
  assert.match(ran.stderr, way.says, name)
  assert.doesNotMatch(ran.stderr, /^ {4}at |fault of sluice itself/m, name)
  assert.ok(took < promptlyMs, `${name} took ${Math.round(took)} ms`)
  assert.deepEqual(processesOf(here), [], `${name} left processes behind`)
  assert.ok(!existsSync(here.started), `${name} started a server`)
  return ran
}

suite('a run that did not begin', { concurrency: 2 }, () => {
  for (const [name, way] of Object.entries(ways))
    test(name, async (t) => {
      const here = withServers(t)
      await check(here, name, way)
      assert.deepEqual(
        existsSync(here.sessions) && name !== 'sessions that cannot be kept'
          ? readdirSync(here.sessions).filter((file) => file.endsWith('.ndjson') && file !== 'ses_empty.ndjson')
          : [],
        [],
        'it left a session in which nobody worked',
      )
    })

  test('chat --resume and --continue', async (t) => {
    for (const args of [['--resume', unknown], ['--continue'], ['--resume', unknown, '--fork']]) {
      const here = withServers(t)
      using pane = openPane([command, 'chat', ...scripted, ...args], { cwd: here.root, env: here.env as Record<string, string> })
      await pane.shows(/there is no session[\s\S]*EXIT 2/)
      assert.ok(!existsSync(here.started), 'it started a server')
      assert.deepEqual(
        processesOf(here).filter((pid) => pid !== pane.pid()),
        [],
      )
    }
  })

  test('a run whose servers hang answers the first signal', async (t) => {
    const here = withServers(t)
    const live = start(here, ['run', 'go', '--format', 'sluice', ...scripted])
    await live.until('session.start')
    live.child.kill('SIGTERM')
    const { code, stdout } = await live.ended
    assert.equal(code, 143)
    assert.match(stdout, /"kind":"session\.end"/)
    assert.deepEqual(processesOf(here), [])
  })
})
