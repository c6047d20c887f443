import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { analyse } from './shell.ts'

const of = (command: string) => analyse(command, '/p', '/h')
const texts = (command: string): string[] => of(command).commands.map(({ text }) => text)
const paths = (command: string): string[] => of(command).paths.map(({ path }) => path)

test('every simple command is found, however deep it stands', () => {
  const cases: [command: string, expected: string[]][] = [
    ['ls -la | grep x && echo y || z; w & v', ['ls -la', 'grep x', 'echo y', 'z', 'w', 'v']],
    ['(a; { b; })', ['a', 'b']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done', ['a', 'b']],
    ['for x in 1 2; do a; done', ['a']],
    ['case x in y) a;; z) b;; esac', ['a', 'b']],
    ['echo "$(a $(b))" `c` <(d) > >(e)', ['e', 'b', 'a $(b)', 'c', 'd', 'echo "$(a $(b))" `c` <(d)']],
    ['f() { a; }; f', ['a', 'f']],
    ['! a', ['a']],
    ['time a', ['a']],
    ["bash -c 'a; b'", ["bash -c 'a; b'", 'a', 'b']],
    ["sh -xc 'a' arg", ['sh -xc a arg', 'a']],
    ["bash -euo pipefail -c 'a'", ['bash -euo pipefail -c a', 'a']],
    ['bash <<EOF\na\nEOF', ['bash', 'a']],
    ["bash <<'EOF'\na $x\nEOF", ['bash', 'a $x']],
    ['cat <<EOF\na\nEOF', ['cat']],
    ["eval 'a; b' c", ["eval 'a; b' c", 'a', 'b c']],
    ["trap 'a' EXIT", ['trap a EXIT', 'a']],
    ['env LANG=C a b', ['env LANG=C a b', 'a b']],
    ['sudo -u me a', ['sudo -u me a', 'a']],
    ['timeout -k 1 5 nice -n 3 nohup a', ['timeout -k 1 5 nice -n 3 nohup a', 'nice -n 3 nohup a', 'nohup a', 'a']],
    ['xargs -0 -n 1 a b', ['xargs -0 -n 1 a b', 'a b']],
    ["find . -name x -exec a {} \\; -exec b '{}' +", ["find . -name x -exec a {} ';' -exec b {} +", 'a {}', 'b {}']],
  ]
  for (const [command, expected] of cases) assert.deepEqual(texts(command).toSorted(), expected.toSorted(), command)
})

test('a command is written in one way only, and a word with a space stays one word', () => {
  assert.deepEqual(texts(`'l's   \\-la "a"`), ['ls -la a'])
  assert.deepEqual(texts('git "status x"'), ["git 'status x'"])
  assert.deepEqual(texts("'git status'"), ["'git status'"])
  assert.deepEqual(texts("echo $'\\x61' ''"), ["echo a ''"])
  assert.deepEqual(texts('echo "$x" *.ts'), ['echo "$x" *.ts'])
  assert.equal(of('echo a$x').commands[0]?.reach, 'echo a*')
  assert.equal(of('/bin/rm x').commands[0]?.alias, 'rm x')
})

test('what cannot be known makes the whole opaque, and the reason is said', () => {
  const cases: [command: string, reason: RegExp][] = [
    ['$x', /command word/],
    ['ls "', /cannot be read/],
    ['eval "$x"', /eval runs a text/],
    ['PATH=. ls', /variable PATH/],
    ['ls() { a; }', /defines the function ls/],
    ['cd "$x"; ls y', /folder that is not known/],
    ['ls > "$x"', /writes to a file/],
    ['alias a=b', /alias changes/],
    [`ls ${'a'.repeat(70_000)}`, /longer than/],
  ]
  for (const [command, reason] of cases) assert.match(of(command).opaque ?? 'clear', reason, command)
  assert.equal(of('ls -la "$x" | wc -l').opaque, undefined)
  assert.match(of('ls \0').invalid ?? '', /control characters/)
})

test('a program that is used in a way that is not known is doubted alone, and the reason is said', () => {
  const cases: [command: string, reason: RegExp][] = [
    ['a | sh', /sh runs what it reads/],
    ['git -C . -c a.b=c status', /git is not known to be harmless with "-c a\.b=c"/],
    ['git push --e=./evil', /git push is not known to be harmless with "--e"/],
    ['git submodule--helper foreach', /git is not known to be harmless with "submodule--helper"/],
    ['git log "$X"', /git log is not known to be harmless with/],
    ['env -S x', /what env runs/],
    ['xargs -I{} sh -c {}', /xargs puts its input/],
    ['awk \'BEGIN{system("x")}\'', /its script may run or open something/],
    ['watch ls', /watch runs what it is given in its own way/],
  ]
  for (const [command, reason] of cases) {
    assert.equal(of(command).opaque, undefined, command)
    assert.match(of(command).commands.find(({ doubt }) => doubt !== undefined)?.doubt ?? 'clear', reason, command)
  }
})

test('words that may be paths are found behind options and signs', () => {
  const cases: [command: string, expected: string][] = [
    ['cat a', '/p/a'],
    ['cat /etc/x', '/etc/x'],
    ['cat ~/x', '/h/x'],
    ['cat "$HOME/x"', '/h/x'],
    ['cat $PWD/x', '/p/x'],
    ['cat ../x', '/p/../x'],
    ['cc -I/etc/x', '/etc/x'],
    ['tar -xf/etc/x', '/etc/x'],
    ['dd if=/etc/x', '/etc/x'],
    ['a --file=/etc/x', '/etc/x'],
    ['a --file=~/x', '/h/x'],
    ['curl -d @/etc/x', '/etc/x'],
    ['docker -v /etc/x:/y', '/etc/x'],
    ['curl file:///etc/x', '///etc/x'],
    ['cat < /etc/x', '/etc/x'],
    ['cd sub && cat x', '/p/sub/x'],
    ['bash -c "cat /etc/x"', '/etc/x'],
    ['echo $(cat /etc/x)', '/etc/x'],
  ]
  for (const [command, expected] of cases) assert.ok(paths(command).includes(expected), `${command}: ${paths(command).join(' ')}`)
  assert.deepEqual(of('cat "$x"').unknown, ['"$x"'])
  assert.deepEqual(of('cat ~root/x').unknown, ['~root/x'])
  assert.deepEqual(of('echo "$x" /etc/x').paths, [])
})

test('an address of the net is no path', () => assert.ok(paths('curl https://a.example/x').every((path) => path.startsWith('/p/'))))

test('a cd counts for what follows it, and only as far as it is sure', () => {
  assert.deepEqual(paths('cd a && cd b && cat x').at(-1), '/p/a/b/x')
  assert.deepEqual(paths('cd a; cat x').slice(-2), ['/p/x', '/p/a/x'])
  assert.deepEqual(paths('(cd a && cat y); cat x').at(-1), '/p/x')
  assert.deepEqual(paths('cd a | cat x').at(-1), '/p/x')
})

test('redirects to files are writes; to descriptors and nothing they are not', () => {
  const writes = (command: string): readonly string[] => of(command).writes
  for (const sign of ['>', '>>', '>|', '&>', '&>>', '<>', '2>', '>&']) assert.deepEqual(writes(`ls ${sign} x`), ['/p/x'], sign)
  assert.deepEqual(writes('{ ls; } > x'), ['/p/x'])
  assert.deepEqual(writes('exec > x'), ['/p/x'])
  assert.deepEqual(writes('ls > /dev/null 2>&1 3>&- < y'), [])
})

const pieces = fc.constantFrom(
  ...'ls;rm x; ;\n;|;&;&&;(;);{;};$(;`;";\';$x;${;$((;));<<;EOF;>;<(;[[;]];*;~;bash -c ;eval ;cd ..;xargs ;find . -exec '.split(';'),
  ...'if then fi case esac in do done for while f() \\ # = ! é \ud800'.split(' '),
  ';',
)

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (all) => void of(all.join(''))),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void of(text)),
    { numRuns: 300 },
  )
})

test('commands that are joined are never fewer than one: a command behind a separator is always found', () => {
  const before = fc.constantFrom('ls', 'ls "a b"', 'echo $x', 'git status # c', 'ls \\\n-l', 'cat <<E\nx\nE', '(ls)', 'x=1', '! ls')
  fc.assert(
    fc.property(fc.array(before, { minLength: 1, maxLength: 4 }), (all) => {
      const { commands, opaque } = of(`${all.join('\n')}\nrm x`)
      assert.ok(opaque !== undefined || commands.some(({ text }) => text === 'rm x'))
    }),
  )
})

test('large and hostile texts take little time', () => {
  for (const part of ['{', '$[', '$(', '{a,', '${x:-', 'cd a&&', 'nohup ', 'ls;', '"$(', '<<a ', 'a=b:', '((']) {
    const started = performance.now()
    of(part.repeat(Math.floor(65_000 / part.length)))
    assert.ok(performance.now() - started < 5000, part)
  }
})
