// The command lines of hosts, and what they come to.
import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { formatRule } from '../../supervise/rules.ts'
import { claudeOptions } from './options.ts'
import { modelOf } from './model.ts'

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-claude-')))
after(() => rmSync(cwd, { recursive: true, force: true }))
const env = { HOME: cwd }
const parsed = (...argv: string[]) => claudeOptions(argv, cwd, env)
const rulesOf = (...argv: string[]): string[] => parsed(...argv).agent.rules.map(formatRule)

test('a flag whose value is missing is wrong usage: it must not begin another session, or hold no rule', () => {
  assert.throws(() => parsed('-p', 'go on', '--resume'), /--resume needs a value/)
  assert.throws(() => parsed('-p', 'go on', '-r'), /-r needs a value/)
  assert.throws(() => parsed('--permission-mode'), /--permission-mode needs a value/)
  assert.equal(parsed('--append-system-prompt', '').host.append, '')
})

test('a value stands behind an equals sign or in the next word', () => {
  for (const argv of [
    ['--model=sonnet', '--max-turns=3', '--permission-prompt-tool=stdio', '--resume=ses_1', '--allowedTools=Read,Bash(ls:*)'],
    [
      '--model',
      'sonnet',
      '--max-turns',
      '3',
      '--permission-prompt-tool',
      'stdio',
      '--resume',
      'ses_1',
      '--allowedTools',
      'Read,Bash(ls:*)',
    ],
  ]) {
    const { agent, host, unknown } = parsed('--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json', ...argv)
    assert.equal(agent.model, 'anthropic/claude-sonnet-5')
    assert.equal(agent.maxTurns, 3)
    assert.equal(host.hostAnswers, true)
    assert.deepEqual(agent.session, { how: 'resumed', id: 'ses_1' })
    assert.deepEqual(agent.rules.map(formatRule), ['read=allow', 'bash:ls *=allow'])
    assert.deepEqual(unknown, [])
  }
})

test('unknown flags are passed over with their values', () => {
  const { unknown, words } = parsed('--my-flag', 'v', '--bare', '--other=1', '-p', 'do it')
  assert.deepEqual(unknown, ['--my-flag', '--bare', '--other'])
  assert.deepEqual(words, ['do it'])
})

test('a prompt is the words that no flag takes, and all after --', () => {
  assert.deepEqual(parsed('-p', 'fix it', '--model', 'opus').words, ['fix it'])
  assert.deepEqual(parsed('--allowedTools', 'Read', 'Glob', '--print', 'go').words, ['go'])
  assert.deepEqual(parsed('--', '--not-a-flag').words, ['--not-a-flag'])
})

test('what is not allowed comes last, so that it counts', () => {
  assert.deepEqual(rulesOf('--disallowedTools', 'Bash(rm:*)', '--allowedTools', 'Bash'), ['bash=allow', 'bash:rm *=deny'])
  assert.deepEqual(rulesOf('--add-dir', cwd), [`external_directory:${cwd}=allow`, `external_directory:${cwd}/*=allow`])
})

test('settings and servers are JSON or a file of it', () => {
  const settings = JSON.stringify({ model: 'haiku', permissions: { allow: ['Read'], deny: ['Bash(rm:*)'], defaultMode: 'plan' } })
  writeFileSync(join(cwd, 's.json'), settings)
  for (const given of [settings, join(cwd, 's.json')]) {
    const { agent, host } = parsed('--settings', given)
    assert.equal(agent.model, 'anthropic/claude-haiku-4-5')
    assert.equal(host.mode, 'plan')
    assert.deepEqual(agent.rules.map(formatRule), ['read=allow', 'bash:rm *=deny'])
  }
  const config = {
    mcpServers: { a: { command: 'x', args: ['y'], env: { K: 'v' } }, b: { type: 'http', url: 'http://127.0.0.1/mcp' }, c: { type: 'sdk' } },
  }
  assert.deepEqual(parsed('--mcp-config', JSON.stringify(config), '--strict-mcp-config').agent.servers, {
    more: { a: { command: ['x', 'y'], environment: { K: 'v' } }, b: { url: 'http://127.0.0.1/mcp', type: 'http' } },
    only: true,
  })
})

test('what cannot be meant is refused in words', () => {
  const refused = (expected: RegExp, ...argv: string[]): void =>
    assert.throws(
      () => parsed(...argv),
      (error: Error) => error.name === 'RequestError' && expected.test(error.message),
    )
  refused(/--output-format "yaml" is not known; give text, json, stream-json/, '--output-format', 'yaml')
  refused(/--permission-mode "free"/, '--permission-mode', 'free')
  refused(/--max-turns "none" is not a number/, '--max-turns', 'none')
  refused(/--mcp-config .* cannot be read: no such file/, '--mcp-config', '/nowhere.json')
  refused(/--add-dir .*no such file/, '--add-dir', '/nowhere')
})

test('models: short names, full ids, other providers, and one that stands for all', () => {
  assert.equal(modelOf('claude-opus-4-5', {}), 'anthropic/claude-opus-4-5')
  assert.equal(modelOf('sonnet[1m]', {}), 'anthropic/claude-sonnet-5')
  assert.equal(modelOf('sonnet', { ANTHROPIC_DEFAULT_SONNET_MODEL: 'claude-mine' }), 'anthropic/claude-mine')
  assert.equal(modelOf('openai/gpt-6', {}), 'openai/gpt-6')
  assert.equal(modelOf(undefined, { ANTHROPIC_MODEL: 'opus' }), 'anthropic/claude-opus-5-5')
  assert.equal(modelOf('default', {}), undefined)
  assert.equal(modelOf('sonnet', { SLUICE_MODEL: 'script/demo' }), 'script/demo')
})
