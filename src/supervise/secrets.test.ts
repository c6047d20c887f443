import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSecretFile, secretGlobs } from './secrets.ts'

test('files that hold keys are secret, wherever they lie and however they are written', () => {
  const secrets = [
    '/p/.env',
    '/p/.env.local',
    '/p/a/.ENV.Production',
    '/h/.netrc',
    '/p/.npmrc',
    '/h/.pypirc',
    '/h/.git-credentials',
    '/h/.docker/config.json',
    '/h/.aws/credentials',
    '/h/.ssh/id_ed25519',
    '/h/.ssh/keys/deep/work',
    '/p/id_rsa',
    '/p/tls/server.PEM',
    '/p/server.key',
    '/p/store.jks',
    '/h/.kube/config',
    '/h/.config/gcloud/credentials.db',
    '/proc/self/environ',
    '/proc/1/environ',
    '/h/.config/sluice/token',
  ]
  for (const path of [...secrets, '/etc/shadow-', '/etc/gshadow-']) assert.ok(isSecretFile(path), path) // the copies that the system keeps
})

test('examples and ordinary files are not', () => {
  const ordinary = [
    '/p/.env.example',
    '/p/.env.sample',
    '/p/.env.template',
    '/p/.env.dist',
    '/p/environment.ts',
    '/p/src/key.ts',
    '/p/config.json',
    '/p/.envoy',
    '/h/.ssh/known_hosts',
    '/h/.ssh/id_rsa.pub',
    '/p',
    '/',
  ]
  for (const path of ordinary) assert.ok(!isSecretFile(path), path)
})

test('a pattern of the shell is secret when it may stand for a secret', () => {
  for (const pattern of ['/p/.e*', '/p/.??*', '/p/*', '/p/*.pem', '/p/id_[r]sa', '/h/.ssh/*', '/p/.en[v]', '/p/README*'])
    assert.ok(isSecretFile(pattern, true), pattern)
  for (const pattern of ['/p/*.ts', '/p/src/*.test.ts', '/p/*.md', '/p/src/a*.js']) assert.ok(!isSecretFile(pattern, true), pattern)
})

test('the globs for a search leave the same files out', () => {
  for (const glob of ['!**/.env', '!**/.env.*', '!**/*.pem', '!**/.ssh/**']) assert.ok(secretGlobs.includes(glob), glob)
  assert.ok(secretGlobs.every((glob) => glob.startsWith('!**/')))
})
