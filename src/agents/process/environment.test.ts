import assert from 'node:assert/strict'
import test from 'node:test'
import { agentEnvironment, childEnvironment } from './environment.ts'

test('a child gets what is on the list and the word that it is run by an agent', () => {
  const env = { PATH: '/bin', LC_ALL: 'C', XDG_DATA_HOME: '/d', https_proxy: 'http://p', GOPATH: '/go', WHATEVER: 'x', FOO: undefined }
  assert.deepEqual(childEnvironment(env), {
    PATH: '/bin',
    LC_ALL: 'C',
    XDG_DATA_HOME: '/d',
    https_proxy: 'http://p',
    GOPATH: '/go',
    AGENT: '1',
  })
})

test('a program is never looked up in the folder of the project', () => {
  for (const [path, left] of [
    ['.:/bin', '/bin'],
    [':/bin:', '/bin'],
    ['bin:/bin:../x', '/bin'],
    ['.', '/usr/bin:/bin'],
    ['', '/usr/bin:/bin'],
    ['bin::.', '/usr/bin:/bin'],
  ])
    assert.equal(childEnvironment({ PATH: path })['PATH'], left, `PATH=${path}`)
})

test('code that a variable would load into every child is not passed', () => {
  const env = { NODE_OPTIONS: '--require x', BASH_ENV: 'x', ENV: 'x', LD_PRELOAD: 'x', PROMPT_COMMAND: 'x', 'BASH_FUNC_ls%%': '() { x; }' }
  assert.deepEqual(childEnvironment(env), { AGENT: '1' })
})

test('names are added by settings, but no key of a provider, no secret and none of ours', () => {
  const names = [
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'GEMINI_API_KEY',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'SLUICE_HOME',
    'sluice_home',
    'GITHUB_TOKEN',
    'MY_SECRET',
    'DB_PASSWORD',
    'apikey',
    'SOME_APIKEY',
  ]
  const env = Object.fromEntries([...names, 'DATABASE_HOST', 'TOKENIZER'].map((name) => [name, 'v']))
  assert.deepEqual(childEnvironment(env, Object.keys(env)), { DATABASE_HOST: 'v', TOKENIZER: 'v', AGENT: '1' })
})

test("another agent gets its own keys, and nobody else's", () => {
  const env = { PATH: '/bin', ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'o', SLUICE_TOKEN: 's', GITHUB_TOKEN: 'g' }
  assert.deepEqual(agentEnvironment(env, /^(ANTHROPIC|SLUICE)_/), { PATH: '/bin', ANTHROPIC_API_KEY: 'k', AGENT: '1' })
})

test('a locale in which bash reads other commands than the rules do is replaced', () => {
  for (const name of ['LANG', 'LC_ALL', 'LC_CTYPE']) {
    for (const value of ['zh_CN.GBK', 'zh_CN', 'zh_TW.Big5', 'ja_JP.SJIS', 'zh_CN.gbk@x', 'x.utf8/../gbk', '/tmp/gbk'])
      assert.equal(childEnvironment({ [name]: value })[name], 'C.UTF-8', `${name}=${value}`)
    for (const value of ['C', 'POSIX', 'C.UTF-8', 'de_DE.UTF-8', 'en_US.utf8', 'ca_ES.UTF-8@valencia'])
      assert.equal(childEnvironment({ [name]: value })[name], value)
  }
})
