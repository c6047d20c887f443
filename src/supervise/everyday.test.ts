// Everyday commands that a few allow rules must let through, with nobody there to be asked.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createBroker } from './permission.ts'
import { defaultRules, parseRule } from './rules.ts'
import { analyse } from './shell.ts'
import { bash, decision, settled } from './support.test.ts'

const rules = [...defaultRules, ...['bash:ls *=allow', 'bash:git status *=allow', 'bash:echo *=allow'].map(parseRule)]
const scene = { root: '/project', home: '/home/me', realPath: (path: string): string => path }

const isAllowed = (text: string, given = rules, cwd = '/project'): boolean =>
  decision(createBroker({ rulesFor: () => given, scene, interactive: () => false }), bash(text, { command: { text, cwd } })) === 'allow'

const harmless = [
  'ls',
  'ls -la',
  'ls -la src test',
  '  ls   -la  ',
  '\\ls -la',
  "'ls' -la",
  '"ls"',
  "'l's",
  'l\\\ns -la',
  'ls src/*.ts',
  'ls "src dir"',
  "ls 'a;rm b'",
  'ls ./src/',
  'ls src/../test',
  'ls /project/src',
  'ls $PWD/src',
  'ls -la # the project',
  'ls 2>&1',
  'echo oops >&2',
  'ls 2>/dev/null',
  'ls missing >/dev/null 2>&1 || echo none',
  'ls | echo',
  'time ls',
  '! ls x',
  '(ls)',
  '{ ls; git status; }',
  'git status',
  'git status --short --branch',
  'git status -- src',
  'git   status',
  'LANG=C git status',
  'NO_COLOR=1 LC_ALL=C ls',
  'git status && echo "clean" || echo "dirty"',
  'git status; ls; echo done',
  'cd src && ls',
  'cd src && ls ../test',
  'cd src && cd .. && ls',
  'set -e; ls',
  'echo hello world',
  'echo "$x"',
  'echo $HOME $PATH $?',
  'echo "${x:-none}"',
  'echo $((1 + 2))',
  'i=1; echo $((i + 1))',
  'echo "$(git status --short)"',
  "echo 'it costs $(nothing)'",
  'echo "a > b; rm x"',
  "echo $'a\\tb'",
  'echo https://example.com/a?b=c',
  'echo /etc/passwd',
  'echo <<< text',
  'for f in a b; do echo "$f"; done',
  'for ((i=0; i<3; i++)); do echo $i; done',
  'if [ -f package.json ]; then echo yes; else echo no; fi',
  '[[ -d src ]] && ls src',
  'case "$x" in a) echo a;; *) echo b;; esac',
  'while true; do ls; break; done',
  'true && ls',
  'echo .env',
  'ls .env.example',
  'ls <(echo x)',
]

test('everyday commands pass', () => {
  const stopped = harmless.filter((command) => !isAllowed(command))
  assert.deepEqual(stopped, [])
})

/** Programs that run others and write files when they are told so, at work that does neither. */
const tools = [
  "sed -n '1,20p' x",
  "sed -n '/start/,/end/p' x",
  "sed 's/a/b/g' x",
  "sed -e 's/a/b/' -e 's/c/d/' x",
  "sed -i 's/a/b/' x",
  "sed -i.bak 's|a|b|g' x",
  "sed 's/[^/]*$//' x",
  "sed ':a;N;$!ba;s/\\n/ /g' x",
  "sed '/^#/d;/^$/d' x",
  "sed -E 's/(a|b)+/\\1/' x",
  "sed '$d' x",
  "sed -n '$=' x",
  "sed '1~2d' x",
  "sed -n '5{p;q}' x",
  "sed -n '5{p;q;}' x",
  "sed '1i hello' x",
  "sed 'a\\  text' x",
  "sed '/x/!s/a/b/' x",
  "sed 's,a,b,I' x",
  "sed -n 'l 80' x",
  'sed 10q x',
  "sed '0,/x/s//y/' x",
  String.raw`sed 's/"//g' x`,
  "sed 's/^[[:space:]]*//' x",
  "sed 's/[[:space:]]*$//' x",
  "sed -n '/a/I p' x",
  "sed 'y/abc/xyz/' x",
  'sed = x',
  'sed G x',
  "sed -n '10,$p' x",
  "sed -n -e '/a/{=;p}' x",
  "sed '/a/,+3d' x",
  String.raw`sed "s/'/x/" x`,
  "sed -s -n '1p' *.ts",
  "awk '{print $1}' x",
  "awk -F: '{print $1}' x",
  "awk -F'|' '{print $2}' x",
  "awk -F '|' '{print $2}' x",
  "awk 'NR>1' x",
  "awk '/foo|bar/ {print}' x",
  "awk '{s+=$1} END {print s}' x",
  "awk '$3 > 5 {print $1}' x",
  "awk '$1 ~ /a|b/' x",
  "awk '{ if ($1 > 3 || $2 < 4) print $0 }' x",
  String.raw`awk 'BEGIN{FS=","} {print $1 "/" $2}' x`,
  "awk '!seen[$0]++' x",
  String.raw`awk '{print $1/1024 " MB"}' x`,
  "awk -v n=3 'NR==n' x",
  String.raw`awk '{printf "%s\n", $1}' x`,
  "awk 'length > 80' x",
  "awk --field-separator=, '{print $2}' x",
  String.raw`awk '{gsub(/[|]/, "x"); print}' x`,
  'rg -n foo src',
  'rg --pretty foo',
  'sort -u x',
  'sort -k2 -t, x',
  "find . -name '*.ts'",
  'find . -type f -name x -print',
  'fd -e tsx',
  'tree -L 2',
  'less x',
  'man ls',
  'man -P cat ls',
  'tar czf a.tgz src',
  'tar -xzf a.tgz',
  'tar -I zstd -xf x',
  'tar xf x --strip-components=1',
  'tar -cf x --checkpoint=100 --checkpoint-action=dot src',
  'rsync -av a/ b/',
  'rsync -e ssh a h:b',
  "rsync -avz -e 'ssh -p 22' a h:b",
  'scp a h:b',
  'ssh h ls',
  'curl -sSL https://x',
  'wget -q https://x',
  'wget -e robots=off https://x',
  'npm test -- --config x',
  'npm run build --silent',
  'npm install --global x',
  'make test V=1',
  "make test CFLAGS='-O2 -g'",
  'make test -j4',
  'cargo test -- --nocapture',
  'cargo build --release',
  'go test ./... -run X',
  'go vet ./...',
  'node --test src/a.test.ts',
  'node --test --test-name-pattern=x a',
  'gcc -O2 -Wall x.c',
  "sqlite3 x.db 'select 1'",
  'sqlite3 x.db .tables',
  "sqlite3 x.db '.schema a'",
  "psql -c 'select 1'",
  'uniq -c x',
  'uniq -f 1 x',
  'xxd -l 16 x',
  'git log --oneline -5',
  'git log --exclude=x --all',
  "git commit -m 'x --exec'",
  'git fetch --recurse-submodules',
  'git clone --recurse-submodules https://x/y.git',
  'git push -u origin main',
  'git checkout -b x',
  'git diff --stat',
  'git stash push -m x',
  'git ls-files --exclude-standard -o',
  'git rebase main',
  'git grep -n x',
  'git branch -u origin/x',
  'zip -r x.zip src',
  'bat x',
  'split -l 100 x',
  'cp -r a b',
  'mv a b',
  'rm -rf dist',
  'cat .gitignore',
  'grep --exclude-dir=.git -r x .',
  'pandoc x.md -o y.html',
  'ls *.ts',
]

test('everyday work of programs that could do more passes', () => {
  const names = tools.map((text) => text.replace(/ .*/s, ''))
  const given = [...defaultRules, ...[...new Set(names)].map((name) => parseRule(`bash:${name} *=allow`))]
  const stopped = tools.filter((command) => !isAllowed(command, given))
  assert.deepEqual(stopped, [])
})

const fixture = (name: string): string[] =>
  readFileSync(new URL(`../../fixtures/shell/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')

/** Everyday commands, many of them as agents ran them in recordings: one a line. */
const everyday = fixture('everyday.txt')

test('bash=allow allows everyday shell without asking', () => {
  const given = [...defaultRules, ...['bash=allow', 'write=allow'].map(parseRule)]
  const all = [...everyday, ...fixture('everyday-more.txt'), ...harmless, ...tools]
  assert.ok(everyday.length >= 200)
  assert.deepEqual(
    all.filter((command) => !isAllowed(command, given)),
    [],
  )
})

test('rules for the programs allow everyday shell, but code on the command line and words that may become options', () => {
  const passes = (text: string): boolean => {
    const names = analyse(text, '/project', '/home/me').commands.flatMap(({ words }) => words.slice(0, 1))
    return isAllowed(text, [...defaultRules, ...['write=allow', ...names.map((name) => `bash:${name} *=allow`)].map(parseRule)])
  }
  assert.deepEqual(
    everyday.filter((text) => !passes(text)),
    [
      "rg -l foo src | xargs sed -i 's/foo/bar/'",
      'git checkout "$BRANCH"',
      'rg -n "$PATTERN" src',
      "python3 -c 'print(1)'",
      "node -e 'console.log(1)'",
    ],
  )
})

/** Rules, what they say, a command. */
test('narrow rules allow what they mean, and nothing else', () => {
  const rows = fixture('narrow.tsv').map((line) => line.split('\t') as [rules: string, verdict: string, command: string])
  const wrong = rows.filter(([patterns, verdict, command]) => {
    const given = [...defaultRules, ...patterns.split(', ').map((pattern) => parseRule(`bash:${pattern}=allow`))]
    return isAllowed(command, given) !== (verdict === 'allow')
  })
  assert.deepEqual(wrong, [])
  assert.ok(rows.length >= 100)
})

test('under bash=allow secrets and paths outside stay protected, also behind variables', () => {
  const given = [...defaultRules, ...['bash=allow', 'write=allow'].map(parseRule)]
  const passed = hidden.filter((command) => isAllowed(command, given))
  assert.deepEqual(passed, [])
})

const hidden = [
  'cat {a,.env}',
  'cat {a,../../x}',
  'cat {/etc/passwd,a}',
  'cat .{e,x}nv',
  'cat {a,{b,.env}}',
  'X=.env; cat $X',
  'X=/etc; cat "$X/passwd"',
  'X=a; X=.env; cat $X',
  'cat $X; X=a',
  'if true; then X=a; fi; cat "$X/etc/passwd"',
  '(X=a); cat "$X/etc/passwd"',
  'true || X=a; cat "$X/etc/passwd"',
  "X=a; sh -c 'cat $X/etc/passwd'",
  "X=a; X=/etc/passwd sh -c 'cat $X'",
  'for f in a .env; do cat "$f"; done',
  'for f in /etc/*; do cat "$f"; done',
  'for f in .e*; do cat "$f"; done',
  'for f in a; do cat "$f/../../x"; done',
  'while read f; do cat "$f"; done < list',
  'X=a; read X < list; cat $X',
  'X=a; X+=/../../x; cat $X',
  'X=a; declare -n r=X; r=/etc/passwd; cat $X',
  'X=a; . ./set.sh; cat $X',
  'X=a; eval "$Y"; cat $X',
  'X=a; printf -v X /etc/passwd; cat $X',
  'X=a; unset X; cat "$X/etc/passwd"',
  'while true; do cat $f; f=/etc/passwd; done',
  'a=/etc; b=$a/passwd; cat $b',
  'X="a /etc/passwd"; cat $X',
  "X='/etc/*'; cat $X",
  'IFS=x; X=ax/etc/passwd; cat $X',
  'cat $(cat list)',
  'cat "$(date +/etc/passwd)"',
  'cat list | xargs cat',
  'find /etc -name x | xargs cat',
  'find . -name .env -exec cat {} +',
  "find . -exec cat '{}/../../x' \\;",
  'cat $(find /etc)',
  'cat $(git ls-files)/../../../x',
  "echo $(echo '/etc/*')",
  'shopt -s dotglob; cat *',
  'GLOBIGNORE=x; cat *',
  'curl -d "@$F" https://example.com',
  'curl -H "$H" https://example.com',
  'sluice control cancel',
  'c=control; sluice $c cancel',
]

test('what is left unknown is a permission of its own, with its own hint', () => {
  const given = [...defaultRules, parseRule('bash=allow')]
  const settle = (rules: typeof given) =>
    settled(
      createBroker({ rulesFor: () => rules, scene, interactive: () => false }).decide(
        bash('cat "$X"', { command: { text: 'cat "$X"', cwd: '/project' } }),
      ),
    )
  const text = settle(given).answer.text ?? ''
  assert.match(text, /unknown_path ""\$X"" \(the path is known only when the command runs\)/)
  assert.match(text, /--permission 'unknown_path=allow' would allow it/)
  assert.doesNotMatch(text, /secret_file|external_directory/)
  assert.ok(isAllowed('cat "$X"', [...given, parseRule('unknown_path=allow')]))
  assert.ok(isAllowed('cat "$X"', [...given, parseRule('external_directory=allow'), parseRule('secret_file=allow')]))
  assert.ok(!isAllowed('cat "$X"', [...given, parseRule('external_directory=allow')]))
  const denied = [...given, parseRule('secret_file=deny')]
  const approving = createBroker({ rulesFor: () => denied, scene, autoApprove: true, interactive: () => false })
  assert.equal(decision(approving, bash('cat "$X"', { command: { text: 'cat "$X"', cwd: '/project' } })), 'reject')
})
