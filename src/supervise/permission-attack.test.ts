// Ways to get more than was allowed or shown: none of them works.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ask } from './contract.ts'
import { createBroker } from './permission.ts'
import { defaultRules, parseRule } from './rules.ts'
import { bash, broker, decision, file, question, scene } from './support.test.ts'

test('an "always" for a program that runs what it reads is not one for all that it may be given to read', () => {
  for (const text of [
    "python3 <<'E'\nprint(1)\nE",
    'echo 1 | node',
    'python3 < a.py',
    'cat a | { perl; }',
    'exec < a.py; python3',
    'bash -c "ruby" <<< 1',
    'while true; do python3; done < x',
    'env /usr/bin/python3 - <<< 1',
  ]) {
    const one = broker(['write=allow', 'read=allow'], { interactive: () => true })
    const { request, ask } = question(one.decide(bash(text)))
    assert.ok(
      request.options.every(({ kind }) => kind !== 'allow_always'),
      text,
    )
    one.choose(ask.id, { option: 'allow_once', by: 'user' })
    assert.ok('request' in one.decide(bash(text)), text)
  }
  const exact = broker(['bash:python3=allow', 'bash:python3 x.py=allow'])
  assert.equal(decision(exact, bash('python3')), 'allow')
  assert.equal(decision(exact, bash('python3 x.py')), 'allow')
  assert.equal(decision(exact, bash("python3 <<'E'\nimport os\nE")), 'reject')
  assert.equal(decision(broker(['bash:python3 *=allow']), bash("python3 <<'E'\nimport os\nE")), 'reject')
})

test('a question names what a command needs beside itself first, and every rule that an "always" would make', () => {
  const one = broker([], { interactive: () => true })
  const { request, needs } = question(one.decide(bash('a; b; c; d; e; f; cat /h/notes/.env > out')))
  assert.match(request.question!, /^Allow bash: write "\/p\/out", external_directory "\/h\/notes\/\.env", secret_file/)
  assert.equal(needs?.length, 10)
  assert.deepEqual(
    request.suggestions?.map((rule) => (rule as { permission: string }).permission).filter((permission) => permission !== 'bash'),
    ['write', 'external_directory', 'secret_file'],
  )
  const two = question(one.decide(bash('cat /h/notes/x')))
  const labels = two.request.options.map(({ label }) => label)
  assert.ok(labels.includes('Always allow bash "cat *", external_directory "/h/notes/*"'), labels.join())
})

test('an "always" for a file right in the home folder, or above the project, is for that file alone', () => {
  for (const path of ['/h/notes.txt', '/etc', '/x']) {
    const { request } = question(broker([], { interactive: () => true }).decide(file('read', path)))
    assert.deepEqual(request.suggestions, [{ permission: 'external_directory', pattern: path, action: 'allow' }])
  }
})

test("a skill's folder is free to read, but not to change, and no secret in it is free", () => {
  const settings = { scene: { ...scene, readable: ['/h/skills/a', '/p'] } }
  assert.equal(decision(broker([], settings), file('read', '/h/skills/a/x')), 'allow')
  assert.equal(decision(broker([], settings), file('read', '/h/skills/a/.env')), 'reject')
  assert.equal(decision(broker([], settings), file('read', '/p/.env')), 'reject')
  assert.equal(decision(broker(['write=allow', 'edit=allow'], settings), file('write', '/h/skills/a/SKILL.md')), 'reject')
  assert.equal(decision(broker(['bash=allow', 'write=allow'], settings), bash('echo x > /h/skills/a/SKILL.md')), 'reject')
})

test('a star in the place of a host does not reach into the path of another one', () => {
  const page = (url: string): Ask => ({ ...file('webfetch', url), paths: [], changes: false })
  const one = broker(['webfetch:https://*.example.com/*=allow', 'webfetch:*evil*=deny'])
  assert.equal(decision(one, page('https://docs.example.com/a/b')), 'allow')
  assert.equal(decision(one, page('https://other.net/x.example.com/b')), 'reject')
  assert.equal(decision(one, page('https://other.net?.example.com/b')), 'reject')
  assert.equal(decision(one, page('https://docs.example.com/evil')), 'reject')
  assert.equal(decision(broker(['webfetch=allow']), page('https://other.net/')), 'allow')
})

test('what leads through /proc is outside, whatever it is for the one who asks', () => {
  const one = broker(['bash:cat *=allow'])
  for (const path of ['/proc/self/cwd/../x', '/proc/self/cwd/../../p/x', '/proc/thread-self/root/p/x'])
    assert.equal(decision(one, bash(`cat ${path}`)), 'reject', path)
})

test('"always" means this very command where the words behind it are run, and not where they only say what to do it with', () => {
  const offered = (text: string): unknown => {
    const { suggestions } = question(broker([], { interactive: () => true }).decide(bash(text))).request
    return suggestions?.map((rule) => (rule as { pattern: string }).pattern)[0]
  }
  for (const text of [
    'git config user.name me',
    'find . -name x',
    'tar cf a.tar src',
    'npm exec tsc',
    'uv run python x.py',
    'make test',
    'git rm x',
  ])
    assert.equal(offered(text), text)
  assert.equal(offered('git commit -m x'), 'git commit *')
  assert.equal(offered('npm run build'), 'npm run build *')
})

test('a program that git is told to run hides behind no rule', () => {
  const one = broker(['bash:git rebase *=allow', 'bash:git grep *=allow'])
  assert.equal(decision(one, bash('git rebase main')), 'allow')
  assert.equal(decision(one, bash('git grep -n needle')), 'allow')
  for (const text of ['git rebase main -x evil', 'git rebase -ix evil main', 'git grep -Oevil needle', 'git grep -nOevil needle'])
    assert.equal(decision(one, bash(text)), 'reject', text)
})

test('what a profile denies is denied to the subagents of its agent, whatever theirs allows', () => {
  const rules = { strict: ['bash=deny', 'write:docs/*=deny'], loose: ['bash=allow', 'write=allow'] }
  const rulesFor = (name: string) => [...defaultRules, ...rules[name as 'strict' | 'loose'].map(parseRule)]
  const one = createBroker({ rulesFor, scene, interactive: () => false })
  const ask = { profile: 'loose', above: ['strict'] }
  assert.equal(decision(one, bash('ls', ask)), 'reject')
  assert.equal(decision(one, file('write', '/p/docs/a', ask)), 'reject')
  assert.equal(decision(one, file('write', '/p/src/a', ask)), 'allow')
  assert.equal(decision(one, bash('ls', { ...ask, above: [] })), 'allow')
  const unbound = createBroker({ rulesFor, boundsFor: () => defaultRules, scene, interactive: () => false })
  assert.equal(decision(unbound, bash('ls', ask)), 'allow')
})

test("what git keeps for itself is not the project's to change, and can be read", () => {
  const one = broker(['edit=allow', 'write=allow', 'bash=allow', 'read=allow'])
  for (const ask of [
    file('write', '/p/.git/config'),
    file('edit', '/p/.git/hooks/pre-commit'),
    file('write', '/p/sub/.git'),
    bash('echo x > .git/config'),
    bash('cp evil .git/hooks/pre-commit'),
    bash('tee -a .git/config'),
  ])
    assert.equal(decision(one, ask), 'reject', JSON.stringify(ask.input))
  for (const ask of [
    file('read', '/p/.git/config'),
    file('write', '/p/.gitignore'),
    bash("find . -not -path './.git/*' | grep --exclude-dir=.git x"),
  ])
    assert.equal(decision(one, ask), 'allow', JSON.stringify(ask.input))
})

test('a rule for a program holds for its other names, and for git with options before its command', () => {
  const denied = broker(['bash=allow', 'bash:rm *=deny', 'bash:git push *=deny'])
  for (const text of ['RM x', '/bin/RM x', 'git -C . push', 'git --no-pager push', '/usr/bin/git -C . push -f', 'git --work-tree=. push'])
    assert.equal(decision(denied, bash(text)), 'reject', text)
  assert.equal(decision(denied, bash('git -C . status')), 'allow')
  for (const text of ['taskset 1 rm x', 'valgrind rm x', 'unbuffer rm x', 'chrt 1 rm x'])
    assert.equal(decision(denied, bash(text)), 'reject', text)
  const asked = broker(['bash=allow', 'bash:rm *=ask'])
  for (const text of ['/bin/rm x', 'RM x']) assert.equal(decision(asked, bash(text)), 'reject', text)
  assert.equal(decision(broker(['bash:/opt/x/ls *=allow']), bash('/opt/x/ls -la')), 'allow')
})

test('another repository is not put in the place of the own one', () => {
  const one = broker('mv|cp|rm|tar|rsync|unzip|git|patch|wget|sed|tee|cat|ls'.split('|').map((name) => `bash:${name} *=allow`))
  for (const text of [
    'mv evil .git',
    'cp -r evil/. .git',
    'rm -rf .git/',
    'rm -rf sub/../.git',
    'tar xf x -C .git',
    'rsync -a evil/ .git/',
    'unzip x -d .git',
    'git --git-dir=evil status',
    'git --git-dir evil status',
    'git --bare log',
    'patch -d .git -i x',
    'wget -N -P .git https://x/config',
    'cd .git && tar xf ../x',
    'cd .git && wget -N https://x/config',
    'cd src/../.git; unzip -o ../x',
    'cp x .git/rebase-merge/git-rebase-todo',
    'sed -i s/pick/exec/ .git/rebase-merge/git-rebase-todo',
    'tee .git/worktrees/x/commondir',
    'cp x .git/worktrees/x/config.worktree',
    'cp -r x .git/worktrees/x',
  ])
    assert.equal(decision(one, bash(text)), 'reject', text)
  assert.equal(decision(one, bash('tar xf ../x', { command: { text: 'tar xf ../x', cwd: '/p/.git' } })), 'reject')
  for (const text of [
    'cat .git/HEAD .git/rebase-merge/message',
    'ls .git .git/worktrees',
    'rm .git/index.lock',
    'rsync -a --exclude=.git a/ b/',
    'tar --exclude .git -cf x.tar .',
    'cp .gitignore x',
    'git --git-dir=.git status',
  ])
    assert.equal(decision(one, bash(text)), 'allow', text)
})

test('a wildcard leads out of the project where the shell follows it', () => {
  const folders: Record<string, string[]> = {
    '/p': ['src', '.config'],
    '/p/src': ['a.ts'],
    '/p/src/../src': ['a.ts'],
    '/': ['p', 'x'],
    '/p/..': ['p', 'x'],
  }
  const list = (folder: string): string[] => folders[folder] ?? []
  const one = broker(['bash:cat *=allow', 'bash:mkdir *=allow'], { scene: { ...scene, list } })
  for (const text of ['cat .*/x', 'cat .?/x', 'cat .[.]/x', 'mkdir z && cat z/../../*', 'mkdir z; cd z; cat ../../*', 'cat z*/../../x'])
    assert.equal(decision(one, bash(text)), 'reject', text)
  for (const text of ['cat .[!.]*', 'cat .c*/x', 'cat src/*', 'cat src/../src/*']) assert.equal(decision(one, bash(text)), 'allow', text)
})

test('what names the PATH of another shell is not set unasked', () => {
  const one = broker(['bash:ls *=allow', 'bash:cat *=allow'])
  for (const text of ['path=(./evil); ls', 'path=.; ls', 'cdpath=/; ls', 'for path in ./evil; do ls; done'])
    assert.equal(decision(one, bash(text)), 'reject', text)
  assert.equal(decision(one, bash('file=a; ls')), 'allow')
})

test('a folder does not become a repository by a command, and one that is there keeps its settings', () => {
  const list = (folder: string): string[] => (folder === '/p/src/bare' ? ['HEAD', 'objects', 'refs', 'config'] : [])
  const one = broker(['bash=allow', 'write=allow', 'edit=allow'], { scene: { ...scene, list } })
  for (const text of [
    'echo "ref: refs/heads/main" > src/x/HEAD',
    'echo x | tee src/x/HEAD',
    'cp head.txt src/x/HEAD',
    'mv head.txt src/x/head',
    'touch src/x/HEAD',
    'dd if=a of=src/x/HEAD',
    'ln -s a src/x/HEAD',
    'cp evil src/bare/config',
    'echo x >> src/bare/config',
    'tee src/bare/hooks/post-checkout',
    'cp -r evil src/bare/hooks',
    'mv evil src/x/.git',
    'echo "gitdir: evil" > src/x/.git',
    'git config -f .git/config core.fsmonitor evil',
    'sed -i s/a/b/ .git/config',
  ])
    assert.equal(decision(one, bash(text)), 'reject', text)
  for (const path of ['/p/src/x/HEAD', '/p/src/bare/config', '/p/src/bare/hooks/x', '/p/src/x/.git', '/p/.git/hooks/pre-commit'])
    assert.equal(decision(one, file('write', path)), 'reject', path)
  for (const text of [
    'git log HEAD',
    'git show HEAD:a',
    'echo x > src/x/config',
    'cp a src/x/config',
    'touch src/headers.ts',
    'cat src/bare/HEAD',
  ])
    assert.equal(decision(one, bash(text)), 'allow', text)
})

test('a pattern of a program that is made for a secret counts as its name', () => {
  const one = broker(['bash=allow', 'write=allow'])
  for (const text of [
    "find . -name '.en*' -exec cat {} +",
    "find . -name '.e[n]v' -exec cat {} +",
    "find . -path './.en?' -exec cat {} +",
    "git grep --no-index KEY -- '.en*'",
    "git log -p -- ':(glob).en*'",
    "git log -p -- ':(top).env'",
    "rg --hidden -g '.env*' KEY",
    "rg --hidden -g'.en*' KEY",
    "grep -r KEY . --include='.en*'",
    "tar cf - --wildcards '*/.ss?/id_r*'",
    'git commit -F "$(echo .env)"',
    'git tag -F "$X" v1',
  ])
    assert.equal(decision(one, bash(text)), 'reject', text)
  for (const text of [
    "find . -not -path '*/.*' -name '*.json' -exec cat {} +",
    "find . -name '.*' -prune -o -name '*.ts' -print",
    "rg --hidden -g '!.git' -g '*.json' x",
    "rg -g '!.env*' x",
    "grep -rn x . --include='*.{ts,json}' --exclude='.env*'",
    "git diff -- '*.json' ':!*.lock'",
    "find . -name '.eslintrc*'",
    "find . -name 'id*.ts'",
  ])
    assert.equal(decision(one, bash(text)), 'allow', text)
})

test('a command line that is made to be slow is judged in time', () => {
  const one = broker(['bash:go *=allow', 'bash:ls *=allow', 'bash:grep *=allow', 'bash:awk *=allow', 'bash:npm *=allow'])
  const begin = performance.now()
  for (const text of [`go build -ldflags '${'-s"'.repeat(400)}!'`, `${'ls|'.repeat(15_000)}ls`, `ls|${'grep x|'.repeat(8000)}ls`])
    assert.equal(decision(one, bash(text)), 'reject')
  assert.ok(performance.now() - begin < 5000)
})
