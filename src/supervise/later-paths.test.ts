import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bash, broker, decision } from './support.test.ts'

const open = ['bash=allow']

test('a line that makes the link which it then follows is asked about', () => {
  for (const command of [
    'git checkout evil && cat data/x',
    'git checkout evil; cat x',
    'git -C . checkout evil && cat data/x',
    'git pull && head -1 data/x',
    'git stash pop && source data/x',
    'git apply p.diff && node data/x.js',
    'git clone u r && cd r && cat x',
    'ln -s a data && cat data/x',
    '/bin/ln -s a data && cat data/x',
    'tar xzf a.tgz; grep k data/x',
    'unzip a.zip && cp data/x b',
    'git reset --hard evil && echo a > data/x',
    'for i in 1 2; do cat data/x; git checkout evil; done',
    'cat data/x & git checkout evil',
    'git checkout -b x evil && cat data/x',
    'git checkout evil && tr a b < data/x',
    'git checkout evil && while read l; do echo "$l"; done < data/x',
    'git checkout evil && expand data/x',
    'git checkout evil && openssl enc -in data/x',
    'git checkout evil && mytool data/x',
    'git checkout evil && git diff --no-index data/x /dev/null',
    'git checkout evil && git hash-object -w data/x',
    'git checkout evil && git config -f data/x -l',
    'git checkout evil && npx prettier data/x',
    'git checkout evil && timeout 5 cat data/x',
    'git checkout evil && bash -c "cat data/x"',
    'git checkout evil && echo "$(cat data/x)"',
    'git checkout evil && echo "$(<data/x)"',
  ])
    assert.equal(decision(broker(open), bash(command)), 'reject', command)
  assert.equal(decision(broker([...open, 'external_directory=allow']), bash('git pull && head -1 data/x')), 'allow')
})

test('everyday lines are not', () => {
  for (const command of [
    'git checkout -b x && npm test',
    'git checkout -b x && cat README.md',
    'git pull && npm ci',
    'git stash && npm test && git stash pop',
    'git fetch && git log --oneline -5',
    'cat data/x && git checkout main',
    'tar czf a.tgz src && git status',
    'git pull && npm test | tail -5',
    'cat a b',
    'git checkout main && git pull && npm ci && npm run build',
    'git checkout main && npx tsc --noEmit',
    'git pull && pytest -q tests',
    'git stash && git checkout main && git pull --ff-only && git stash pop',
    'git checkout -f main && git push -f origin main',
    'git merge x && git push && echo done',
    'mkdir -p a && cp b a',
  ])
    assert.equal(decision(broker(open), bash(command)), 'allow', command)
})
