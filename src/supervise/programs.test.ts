// Programs that a rule allows since they look harmless, and that run another one, or write a file, when they are told so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bash, broker, decision } from './support.test.ts'

const rules = (
  'git log|git diff|git clone|git rebase|git push|git fetch|git archive|git grep|git init|git submodule|git config|rg|sort|split|sed|sed -n|' +
  'awk|gawk|find|fd|tree|less|man|tar|zip|rsync|scp|ssh|curl|wget|nc|npm test|make test|cargo test|go test|go vet|node --test|gcc|bat|pandoc|' +
  'sqlite3|psql|uniq|xxd|echo|cat|touch'
)
  .split('|')
  .map((name) => `bash:${name} *=allow`)
const isAllowed = (text: string, more: readonly string[] = []): boolean => decision(broker([...rules, ...more]), bash(text)) === 'allow'

const attacks: Record<string, string[]> = {
  git: [
    'git clone -u evil . x',
    'git clone -qc core.fsmonitor=evil . x',
    'git clone --config core.fsmonitor=evil . x',
    'git clone --template=evil . x',
    'git clone --up=evil . x',
    'git init --template=evil',
    'git rebase --ex=evil main',
    'git rebase --exe evil main',
    'git grep --op=evil x',
    'git push --receive-pack=evil . main',
    'git submodule --quiet foreach evil',
    'git config core.fsmonitor evil',
    'git config --global core.hooksPath evil',
    "git config alias.x '!sh'",
    'git config set core.pager evil',
    'git config --replace-all diff.external evil',
    'git config filter.x.clean evil',
    'git config merge.x.driver evil',
    'git config include.path evil',
    'git config --rename-section a core',
    'git config -e',
    'git config edit',
    'git log --output=package.json',
    'git diff --output package.json',
    'git archive -o package.json HEAD',
  ],
  'sed and awk': [
    "sed '1e evil' x",
    'sed e x',
    "sed -n '1e evil' x",
    "sed --exp='1e evil' x",
    "sed x -e '1e evil'",
    "sed 's/x/evil/e' x",
    "sed 's/x/evil/ e' x",
    "sed -n 's|x|evil|gpe' x",
    "sed 's/[^/]*$/evil/e' x",
    "sed '/a/,/b/{s/x/y/;e evil' x",
    "sed '\\,x,!e evil' x",
    "sed ':a;e evil' x",
    "sed 'y/[/]/;e evil' x",
    "sed 'w package.json' x",
    "sed 's/a/b/w package.json' x",
    "sed 'r /etc/passwd' x",
    "sed -n '$R/etc/passwd' x",
    'sed -f evil.sed x',
    'sed -nf - x',
    "sed -f <(echo '1e evil') x",
    'sed "$script" x',
    'sed /etc/p /etc/p',
    `awk 'BEGIN{system("evil")}'`,
    `awk 'BEGIN{"evil" | getline}'`,
    `awk '{print | "sh"}' x`,
    `awk '/[/"]/ { print | "sh" }' x`,
    `awk 'BEGIN { c = 1 / 2; print "" |& "sh" } # /'`,
    `awk 'BEGIN{print "x" > "package.json"}'`,
    `awk 'BEGIN{getline x < "/etc/passwd"; print x}'`,
    `awk 'BEGIN{ARGV[1]="/etc/passwd";ARGC=2} 1'`,
    `awk '@load "evil"; BEGIN{}'`,
    `awk 'BEGIN{f="system"; @f("evil")}'`,
    'awk -f evil.awk x',
    'awk -F, -f evil.awk x',
    `awk -v x=1 'BEGIN{system("evil")}'`,
    `gawk -e 1 -e 'BEGIN{system("evil")}'`,
    'gawk -opackage.json 1',
    'awk "$script" x',
    'awk /etc/passwd /etc/passwd',
    `awk '${'('.repeat(5000)}'`,
  ],
  'tools that look': [
    'rg --pre evil x',
    'rg --pre=evil x',
    'rg --hostname-bin=evil x',
    'sort --compress-program=evil x',
    'sort --co evil x',
    'sort -o package.json x',
    'sort -uopackage.json x',
    'split --filter=evil x',
    'find . -delete',
    'find . -fprint package.json',
    'find . -name x -fprintf package.json y',
    'fd -x evil',
    'fd . --exec-batch evil',
    'tree -o package.json',
    "less '+!evil' x",
    'less -opackage.json x',
    'man -P evil ls',
    'man --pager=evil ls',
    'bat --pager=evil x',
    'uniq a package.json',
    'xxd -r a package.json',
    'pandoc --lua-filter=evil.lua x',
    "sqlite3 x.db '.shell evil'",
    `sqlite3 x.db "select load_extension('evil')"`,
    "psql -c '\\! evil'",
    `psql -c "copy x to program 'evil'"`,
  ],
  'tools that pack and carry': [
    'tar xf x --to-command=evil',
    'tar cf x --checkpoint-action=exec=evil .',
    'tar cf x --checkpoint-action exec=evil .',
    'tar -I evil -xf x',
    'tar xIf evil x',
    'tar --use-comp=evil -xf x',
    'tar cf x -T list',
    'zip x y -T -TT evil',
    'rsync -e evil a h:b',
    'rsync -ae evil a h:b',
    "rsync --rsh='ssh -o ProxyCommand=evil' a h:b",
    'rsync --rsync-path=evil a h:b',
    'scp -S evil a h:b',
    'scp -oProxyCommand=evil a h:b',
    'ssh -o ProxyCommand=evil h',
    'ssh -voproxycommand=evil h',
    `ssh -o ' "ProxyCommand" evil' h`,
    'ssh -F evil h',
    'curl -K evil',
    'curl -sSLK evil',
    'wget --use-askpass=evil https://x',
    'wget -e use_askpass=evil https://x',
    'nc -e evil h 1',
  ],
  'tools that build': [
    'npm test --script-shell=evil',
    'npm test --node-options=--require=./evil',
    'make test SHELL=evil',
    "make test --eval='x'",
    "make test 'X=$(shell evil)'",
    "make test 'X!=evil'",
    'cargo test --config \'build.rustc-wrapper="evil"\'',
    'go test -exec evil',
    'go test -toolexec=evil',
    'go vet -vettool=evil',
    'node --test --import=./evil',
    "node --test -e 'evil'",
    'gcc -fplugin=evil.so x.c',
    'gcc -wrapper evil x.c',
  ],
}

for (const [group, commands] of Object.entries(attacks)) {
  test(`an option or a script is no way to run another program or to write unasked: ${group}`, () => {
    const passed = commands.filter((text) => isAllowed(text))
    assert.deepEqual(passed, [])
    const all = ['bash=allow', 'write=allow', 'external_directory=allow', 'secret_file=allow']
    const stopped = commands.filter((text) => !isAllowed(text, all))
    assert.deepEqual(stopped, [])
  })
}

test('what such a program writes needs leave to write, and what find deletes needs leave for rm', () => {
  for (const text of [
    'sort -o out x',
    'curl -o out https://x',
    'curl -sSfLo out https://x',
    'git log --output=out',
    "sed 's/a/b/w out' x",
    'uniq a out',
    'find . -fls out',
  ])
    assert.ok(isAllowed(text, ['write:out=allow']), text)
  assert.ok(isAllowed('find . -name x -delete', ['bash:rm *=allow']))
})

test('a name with a dash that a wildcard stands for would be an option', () => {
  const names = (given: string[]) => ({ scene: { root: '/p', home: '/h', realPath: (path: string) => path, list: () => given } })
  const one = (given: string[], text: string): string => decision(broker(rules, names(given)), bash(text))
  assert.equal(one(['a', '--checkpoint-action=exec=evil'], 'tar cf x.tar *'), 'reject')
  assert.equal(one(['a', '--checkpoint-action=exec=evil'], 'tar cf x.tar ./*'), 'allow')
  assert.equal(one(['a', 'b-c'], 'tar cf x.tar *'), 'allow')
  for (const made of [
    'touch ./--checkpoint=1',
    'touch -- --checkpoint=1',
    'touch sub/--checkpoint=1',
    'touch ./{-x,b}',
    'echo > --checkpoint=1',
    'X=./-x; touch "$X"',
    "sed 'w -x' a",
  ])
    assert.equal(decision(broker([...rules, 'write=allow'], names(['a'])), bash(`${made}; tar cf x.tar *`)), 'reject', made)
  assert.equal(one(['a'], 'touch a-b src/a; tar cf x.tar *'), 'allow')
})

test('a wildcard that is quoted, or stands in the name of the folder, is none', () => {
  const inside: Record<string, string[]> = { '/p': ['x[y]', 'xy'], '/p/x[y]': ['server.pem', '--checkpoint=1'], '/p/xy': ['a'] }
  const list = (folder: string): string[] => inside[folder] ?? []
  const one = broker(rules, { scene: { root: '/p', home: '/h', realPath: (path) => path, list } })
  for (const text of [
    "cd 'x[y]' && tar cf ../x.tar *",
    'cd x\\[y] && cat *',
    "cat 'x[y]'/*",
    'cat "x[y]"/*.pem',
    'cat x\\[y\\]/*',
    `X='x[y]'; cat "$X"/*`,
  ])
    assert.equal(decision(one, bash(text)), 'reject', text)
  assert.equal(decision(one, bash('cd xy && tar cf ../x.tar *')), 'allow')
})

test('to push to a folder runs its hooks, though its name looks like that of a remote', () => {
  const list = (folder: string): string[] => (folder === '/p/copy' ? ['HEAD', 'hooks'] : [])
  const one = (...more: string[]) => broker([...rules, ...more], { scene: { root: '/p', home: '/h', realPath: (path) => path, list } })
  for (const text of ['git push copy main', 'git push copy', 'git -C sub/.. push copy', 'cd sub && git -C .. push copy main'])
    assert.equal(decision(one(), bash(text)), 'reject', text)
  for (const text of ['git push origin copy', 'git push', 'git push -u origin main', 'cd sub && git push copy'])
    assert.equal(decision(one(), bash(text)), 'allow', text)
  assert.equal(decision(one('bash:git push copy main=allow'), bash('git push copy main')), 'allow', 'exact')
})
