// An agent that would be its own judge: whatever is allowed, reaching for its run's socket, token, questions and end is asked about.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bash, broker, decision, file, question, scene } from './support.test.ts'

const free = ['bash=allow', 'write=allow', 'edit=allow', 'read=allow', 'external_directory=allow']
const steered = {
  scene: { ...scene, guarded: ['/p/job.done', '/p/job.perm.req', '/p/job.perm.req.response', '/p/my.sock', '/p/my.token'] },
}

test('sluice control, answer and trust are asked about, however they are started', () => {
  for (const text of [
    'sluice control answer q1 allow',
    'sluice control --run r1 status',
    'sluice answer job.perm --option allow_once',
    'sluice trust --yes',
    'sluice run --auto-approve "do it"',
    'sluice chat',
    'sluice claude -p x',
    'sluice demo',
    'sluice model serve x',
    'sluice --debug control status',
    'npm exec sluice run x',
    'env sluice run x',
    'x=run; sluice $x y',
    '/usr/local/bin/sluice control cancel',
    "./node_modules/.bin/sluice 'answer' x --option y",
    'npx sluice control status',
    'npx sluice@1.2.3 answer x --option y',
    'node /opt/sluice/dist/cli.js control status',
    'true && timeout 5 sluice control status',
    'bash -c "sluice control status"',
    'echo "$(sluice control status)"',
    'what=control; sluice $what answer q1 allow',
    'echo control | xargs sluice',
    's=sluice && $s control cancel',
    '"$(which sluice)" answer job.perm --option allow',
    'echo sluice control cancel | sh',
    'find . -exec sluice answer {} --option allow \\;',
  ]) {
    assert.equal(decision(broker(free), bash(text)), 'reject', text)
    assert.equal(decision(broker([...free, 'control_run=allow', 'secret_file=allow']), bash(text)), 'allow', text)
  }
  const { request, needs } = question(broker(free, { interactive: () => true }).decide(bash('sluice control cancel')))
  assert.deepEqual(needs, [{ permission: 'control_run', pattern: 'sluice control cancel' }])
  assert.ok(request.options.every(({ kind }) => kind !== 'allow_always'))
})

test('what only reports is not', () => {
  for (const text of [
    `sluice emit '{"event":"x"}'`,
    'sluice watch run.ndjson',
    'sluice help control',
    'sluice convert a --to avenor',
    'cd sluice/src && node -e "run()"',
    'sluice',
    'sluice --version',
    'ls sluice',
    'grep -r "sluice control" docs',
  ])
    assert.equal(decision(broker(free), bash(text)), 'allow', text)
})

test('an answer to a question is not written unasked, whoever writes it', () => {
  for (const text of [
    `echo '{"option_id":"allow"}' > job.perm.req.response`,
    'echo x >> /p/a/job.perm.req.response',
    'echo x | tee job.perm.req.response',
    'cp made.json job.perm.req.response',
    'mv made.json ./job.perm.req.response',
    'ln -s made.json job.perm.req.response',
    'ln made.json job.perm.req.response',
    'install -m 600 x job.perm.req.response',
    'dd if=x of=job.perm.req.response',
    'cp x job.perm.req.respons?',
    `python3 -c "open('job.perm.req.response','w').write('{}')"`,
    "python3 <<'E'\nopen('/p/job.perm.req.response', 'w')\nE",
    "node -e 'require(`fs`).writeFileSync(`job.perm.req.response`, 1)'",
    'base=job.perm; echo x > $base.req.response',
    'cd /tmp && touch x.req.response',
  ])
    assert.equal(decision(broker(free), bash(text)), 'reject', text)
  assert.equal(decision(broker(free), file('write', '/p/job.perm.req.response')), 'reject')
})

test('nor is a token read, or a socket reached', () => {
  for (const text of [
    'cat /run/user/1000/sluice/r1.token',
    'nc -U /run/user/1000/sluice/r1.sock',
    'cat /tmp/sluice-0/*.token',
    `python3 -c "import socket; socket.socket(1).connect('/run/user/1000/sluice/r1.sock')"`,
    `curl --unix-socket /tmp/sluice-1000/r1.sock http://x/`,
    'ln /tmp/sluice-0/r1.token ./t',
  ])
    assert.equal(decision(broker(free), bash(text)), 'reject', text)
  assert.equal(decision(broker(free), file('read', '/run/user/1000/sluice/r1.token')), 'reject')
})

test('the files of this very run are guarded under whatever names they have', () => {
  const one = broker(free, steered)
  for (const text of [
    'echo DONE > job.done',
    'cat my.token',
    'rm -f my.sock',
    'cp fake job.perm.req',
    `python3 -c "open('job.done','w')"`,
    'cd . && touch job.done',
  ])
    assert.equal(decision(one, bash(text)), 'reject', text)
  for (const path of steered.scene.guarded) assert.equal(decision(one, file('write', path)), 'reject', path)
  for (const text of ['echo job.done.bak', 'cat job.txt', 'touch myjob.done', 'echo done', 'cat a/job.perm.requests'])
    assert.equal(decision(one, bash(text)), 'allow', text)
  assert.equal(decision(broker(free), bash('echo DONE > job.done')), 'allow')
})
