// `sluice chat` in a real terminal: what is seen, what keys do, and what is left behind.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createProject, type Project } from './project.ts'
import { command, sluice } from './run.ts'
import { openPane, type Pane } from './tmux.ts'

const script = `
model: anthropic/claude-sonnet-4-5
chunk: 8
delay: 5
turns:
  - think: First I look.
    text: I look **around**.
    tools: [{name: bash, input: {command: "echo one; echo two"}}]
    usage: {input: 1000, output: 100}
  - text: |
      # Found

      - one \`item\`
      - 漢字

      | file | lines |
      |------|-------|
      | a.ts | 12 |

      That is *all*.
    usage: {input: 1000, output: 100}
  - text: Now I write.
    tools: [{name: write, input: {filePath: hello.txt, content: "Hello\\n"}}]
  - text: That is how it went.
  - error: {status: 401, message: the key is wrong, times: 1}
    text: Well again.
  - text: "A long one."
    tools: [{name: bash, input: {command: "sleep 61"}}]
  - text: "\\e]0;evil\\a\\e[2J and \\u202e back"
`

const withProject = (): Project => createProject({ 'chat.yaml': script })
const chat = ({ root, env }: Project, args: readonly string[] = [], size: { width?: number; height?: number } = {}): Pane =>
  openPane([command, 'chat', '--model', 'script/chat.yaml', ...args], { cwd: root, env, ...size })

const sessionsOf = ({ home }: Project): string => join(home, '.local/share/sluice/sessions')
const prompt = /❯$/

/** `why`: of a no. */
async function answer(pane: Pane, key: string, why = ''): Promise<void> {
  await pane.shows(/waiting for you · \d+ s\n.*· n no$/)
  await new Promise((resolve) => setTimeout(resolve, 400)) // keys that come at once were meant for something else
  pane.press(key)
  if (key !== 'n') return
  await pane.shows(/no, because: ▏\n.*Esc goes back$/)
  pane.type(why)
  pane.press('Enter')
}

async function gone(pid: number): Promise<void> {
  const isThere = (): boolean => existsSync(`/proc/${pid}`)
  for (let tries = 0; isThere() && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.ok(!isThere(), `process ${pid} is still there`)
}

suite('chat', { concurrency: 2 }, () => {
  test('answers, questions and their end; what is refused or fails does not end the chat', async () => {
    using project = withProject()
    using pane = chat(project, [], { height: 100 })
    await pane.shows(prompt)
    pane.type('what is here?')
    pane.press('Enter')
    await answer(pane, 'y')
    await pane.shows(/turn 1 [^]*❯$/)
    pane.type('write it')
    pane.press('Enter')
    await answer(pane, 'n', 'use another name')
    await pane.shows(/turn 2 [^]*❯$/)
    assert.ok(!existsSync(project.path('hello.txt')))
    pane.type('again')
    pane.press('Enter')
    await pane.shows(/turn 3 · error[^]*❯$/)
    pane.type('once more')
    pane.press('Enter')
    const screen = await pane.shows(/turn 4 [^]*❯$/)
    const times = screen.replaceAll(/\d+(\.\d+)? m?s\b/g, 'TIME')
    assert.equal(
      times.slice(times.indexOf('❯'), times.indexOf('\n\n✔ turn 2')),
      `❯ what is here?

✻ First I look.

I look around.

● bash echo one; echo two
? Allow bash?
    echo one; echo two
    bash: echo one · echo two
  ✔ allowed once
  ✔ ok · TIME
    one
    two

Found

• one item
• 漢字

file  lines
────  ─────
a.ts  12

That is all.

✔ turn 1 · TIME · 2,200 tokens · $0.0090 (scripted)

❯ write it

Now I write.

● write hello.txt
? Allow write?
    hello.txt
    +Hello
  ✘ refused: use another name
  ✘ denied
    The user did not allow this call, and says: use another name

That is how it went.`,
    )
    assert.match(times, /❯ again\n\n✘ error the key is wrong\n✘ turn 3 · error · TIME.*\n\n❯ once more\n\nWell again\.\n\n✔ turn 4/)
    pane.press('C-d')
    const end = await pane.shows(/EXIT/)
    const [, id] =
      /sluice: 4 turns · [\d,]+ tokens · \$[\d.]+ \(scripted model, no real cost\)\ngo on with: sluice chat --resume (\S+)\nEXIT 0/.exec(
        end,
      ) ?? assert.fail(end)
    const file = join(sessionsOf(project), `${id}.ndjson`)
    assert.equal(sluice(['validate', file]).status, 0)
    assert.equal(sluice(['validate', file]).stdout, '')
  })

  test('a question stays whole while other calls end, and waiting is not the time of the call', async () => {
    using project = createProject({
      'chat.yaml': JSON.stringify({
        turns: [
          {
            text: 'Three at once.',
            tools: [
              { name: 'bash', input: { command: 'until test -e go; do sleep 0.1; done; echo first is done' } },
              { name: 'write', input: { filePath: 'hello.txt', content: 'Hello\n' } },
              { name: 'bash', input: { command: 'until test -e stop; do sleep 0.1; done' } },
            ],
          },
          { text: 'That was all.' },
        ],
      }),
    })
    using pane = chat(project, ['--permission', 'bash=allow', 'go'], { height: 24 })
    const question = String.raw`\? Allow write\?\n    hello.txt\n    \+Hello\n  waiting for you · \d+ s\n  y .* n no$`
    await pane.shows(new RegExp(`until test -e go.* · \\d s\n.*until test -e stop.* · \\d s\n${question}`))
    project.write('go', '')
    await pane.shows(new RegExp(`first is done\n.*until test -e stop.* · \\d s\n${question}`))
    await pane.shows(/waiting for you · [2-9] s/)
    pane.press('y')
    await pane.shows(/first is done\n\? Allow write\?\n {4}hello.txt\n {4}\+Hello\n {2}✔ allowed once\n {2}✔ write hello.txt ok · \d+ ms\n/)
    project.write('stop', '')
    await pane.shows(/turn 1 [^]*❯$/)
  })

  test('a question that is larger than the screen is shown once, and nothing comes between it and the keys', async () => {
    using project = createProject({
      'chat.yaml': JSON.stringify({
        turns: [
          {
            tools: [
              { name: 'bash', input: { command: 'until test -e go; do sleep 0.1; done; echo first is done' } },
              { name: 'write', input: { filePath: 'long.txt', content: Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join('') } },
            ],
          },
          { text: 'That was all.' },
        ],
      }),
    })
    using pane = chat(project, ['--permission', 'bash=allow', 'go'], { height: 12 })
    await pane.shows(/\+line 29\n.*first of them may be out of sight.*\n {2}waiting for you/)
    project.write('go', '')
    const log = (): string =>
      readdirSync(sessionsOf(project))
        .map((name) => readFileSync(join(sessionsOf(project), name), 'utf8'))
        .join('')
    for (let tries = 0; !log().includes('first is done\\n"') && tries < 200; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    assert.doesNotMatch(await pane.shows(/\+line 29\n.*\n {2}waiting for you/), /first is done/)
    await answer(pane, 'y')
    await pane.shows(/turn 1 [^]*❯$/)
    const said = pane.rows('all').join('\n')
    assert.equal(said.match(/\+line 0$/gm)?.length, 1)
    assert.match(said, /✔ allowed once\n[^]*first is done/)
  })

  test('what is typed while the agent works is seen, and sent when the turn is over', async () => {
    using project = createProject({
      'chat.yaml': JSON.stringify({
        turns: [
          { tools: [{ name: 'bash', input: { command: 'until test -e go; do sleep 0.1; done' } }] },
          { text: 'First.' },
          { text: 'Second.' },
        ],
      }),
    })
    using pane = chat(project, ['--permission', 'bash=allow', 'go'])
    await pane.shows(/until test.* · \d s$/)
    pane.type('and then?')
    await pane.shows(/· \d s\n❯ and then\?▏\n {2}Enter sends it when this turn is over$/)
    pane.press('Enter')
    await pane.shows(/❯ and then\?\n {2}is sent when this turn is over · Backspace takes it back$/)
    project.write('go', '')
    await pane.shows(/turn 1 .*\n\n❯ and then\?\n\nSecond\.\n\n✔ turn 2 .*\n\n❯$/)
  })

  test('Ctrl-C stops the turn and its commands; at an empty prompt twice leaves', async () => {
    using project = withProject()
    using pane = chat(project, ['--permission', 'bash=allow'])
    for (const [index, text] of ['a', 'b', 'c', 'd'].entries()) {
      await pane.shows(prompt)
      pane.type(text)
      pane.press('Enter')
      if (index === 1) await answer(pane, 'n')
      await pane.shows(new RegExp(`turn ${index + 1} [^]*❯$`))
    }
    pane.type('the long one')
    pane.press('Enter')
    await pane.shows(/bash sleep 61 · [1-9] s$/)
    assert.doesNotThrow(() => process.kill(childOf(project), 0))
    pane.press('C-c')
    await pane.shows(/■ turn 5 · cancelled.*\n\n❯$/)
    assert.throws(() => process.kill(childOf(project), 0), 'the command still runs')
    pane.type('typed')
    pane.press('C-c')
    await pane.shows(/❯ typed\^C\n\n❯$/)
    pane.press('C-c')
    await pane.shows(/Ctrl-C again leaves\n\n❯$/)
    pane.press('C-c')
    await pane.shows(/EXIT 0\nicanon\necho$/)
  })

  test('Ctrl-C twice leaves at once, and a terminal that is closed ends the session with all its events', async () => {
    const turns = [{ tools: [{ name: 'bash', input: { command: `trap '' TERM; echo $$ > pid; sleep 61; sleep 61` } }] }]
    for (const leave of [(pane: Pane) => pane.press('C-c', 'C-c'), (pane: Pane) => pane[Symbol.dispose]()]) {
      using project = withProject()
      project.write('chat.yaml', JSON.stringify({ turns }))
      using pane = chat(project, ['--auto-approve', 'go'])
      await pane.shows(/bash trap .* · [1-9] s$/)
      const [pid, child] = [pane.pid(), Number(readFileSync(project.path('pid'), 'utf8'))]
      leave(pane)
      await gone(pid)
      await gone(child)
      const [file = ''] = readdirSync(sessionsOf(project))
      const ends = readFileSync(join(sessionsOf(project), file), 'utf8').matchAll(/"kind":"(turn|session)\.end"/g)
      assert.deepEqual(
        Array.from(ends, ([, what]) => what),
        ['turn', 'session'],
      )
    }
  })

  test('Ctrl-C in the last step before a cap ends the session, and does not ask for another prompt', async () => {
    using project = withProject()
    const tools = [{ name: 'bash', input: { command: 'sleep 61' } }]
    project.write('chat.yaml', JSON.stringify({ turns: [{ tools, usage: { input: 1000, output: 100 } }] }))
    using pane = chat(project, ['--auto-approve', '--max-tokens', '500', 'go'])
    await pane.shows(/bash sleep 61 · [1-9] s$/)
    pane.press('C-c')
    await pane.shows(/EXIT 4\n/)
  })

  test('a session goes on where it stopped, and what was typed comes back', async () => {
    using project = withProject()
    {
      using pane = chat(project, ['--permission', 'bash=allow', 'first prompt'])
      await pane.shows(/❯ first prompt\n[^]*turn 1 [^]*❯$/)
      pane.type('/exit')
      pane.press('Enter')
      await pane.shows(/EXIT 0/)
    }
    using pane = chat(project, ['--continue'])
    await pane.shows(/resumed\s+ses_[^]*❯ first prompt\n\nFound\n[^]*That is all\.\n\n❯$/)
    pane.press('Up', 'Up')
    await pane.shows(/❯ first prompt$/)
    pane.press('C-c')
    pane.type('/cost')
    pane.press('Enter')
    await pane.shows(/turns +1\n/)
    pane.press('C-d')
    await pane.shows(/EXIT 0/)
    assert.equal(readdirSync(sessionsOf(project)).length, 1)
    const history = join(project.home, '.local/state/sluice/chat-history')
    assert.equal(statSync(history).mode & 0o777, 0o600)
    assert.equal(readFileSync(history, 'utf8'), '"first prompt"\n"/exit"\n"/cost"\n')
  })

  test('commands are for sluice, not for the model', async () => {
    using project = withProject()
    using pane = chat(project, [], { height: 80 })
    await pane.shows(prompt)
    for (const [text, shown] of [
      ['/hlep', /did you mean \/help\?/],
      ['/tools', /^bash +built in +ask +Runs a command/m],
      ['/permissions', /^ {2}read=allow$/m],
      ['/skills', /no skills/],
      ['/sessions', /no session/],
      ['/read-only on', /read-only is on/],
      ['/model script/none', /cannot be read/],
      ['/profile', /▶ {2}default/],
    ] as const) {
      pane.type(text)
      pane.press('Enter')
      await pane.shows(shown)
      await pane.shows(prompt)
    }
    pane.type('what is here?')
    pane.press('Enter')
    await pane.shows(/this run is read-only[^]*turn 1 [^]*❯$/)
    pane.type('/clear')
    pane.press('Enter')
    await pane.shows(/read-only\n\n❯$/)
    pane.type('/sessions')
    pane.press('Enter')
    await pane.shows(/ses_\S+ .* 1 turn +what is here\?/)
    pane.press('C-d')
    await pane.shows(/EXIT 0/)
    assert.equal(readdirSync(sessionsOf(project)).length, 1, 'a session in which nothing was said leaves nothing')
  })

  test('pasted lines are one prompt', async () => {
    using project = withProject()
    using pane = chat(project, ['--permission', 'bash=deny'])
    await pane.shows(prompt)
    pane.paste('one\ntwo')
    await pane.shows(/❯ one⏎two$/)
    pane.type(' \\')
    pane.press('Enter')
    pane.paste('1\n2\n3\n4\n5')
    await pane.shows(/❯ one⏎two ⏎\[pasted 1: 5 lines\]$/)
    pane.press('Enter')
    await pane.shows(/turn 1 [^]*❯$/)
    const file = readdirSync(sessionsOf(project)).find((name) => name.endsWith('.ndjson'))!
    assert.match(readFileSync(join(sessionsOf(project), file), 'utf8'), /"text":"one\\ntwo \\n1\\n2\\n3\\n4\\n5"/)
  })

  test('a narrow window, made narrower while the answer comes, shows every line once', async () => {
    using project = createProject({
      'chat.yaml': `chunk: 12\ndelay: 150\nturns:\n  - text: "${'wide 漢字 words '.repeat(12)}\\n\\n- last"\n`,
    })
    using pane = chat(project, [], { width: 32, height: 30 })
    await pane.shows(prompt)
    pane.type('go')
    pane.press('Enter')
    await pane.shows(/words wide/)
    pane.resize(24, 30)
    await pane.shows(/turn 1 [^]*❯$/)
    const said = pane.rows('all').join('')
    assert.equal(said.match(/漢字/g)?.length, 12)
    assert.equal(said.match(/• last/g)?.length, 1)
  })

  test('what the model says cannot act on the terminal', async () => {
    using project = createProject({ 'chat.yaml': `turns:\n  - text: "a\\e]0;evil\\a\\e[2J and \\u202e back"\n` })
    using pane = chat(project)
    await pane.shows(prompt)
    pane.type('go')
    pane.press('Enter')
    await pane.shows(/^a\\u001b\]0;evil\\u0007\\u001b\[2J and \\u202e back$/m)
  })

  test('SIGTERM ends the session as it should, and gives the terminal back', async () => {
    using project = withProject()
    using pane = chat(project, ['go'])
    await pane.shows(/n no$/)
    process.kill(pane.pid(), 'SIGTERM')
    await pane.shows(/EXIT 143\nicanon\necho$/)
    const [file = ''] = readdirSync(sessionsOf(project))
    const last = readFileSync(join(sessionsOf(project), file), 'utf8')
      .trimEnd()
      .split('\n')
      .at(-1)!
    assert.equal((JSON.parse(last) as { kind: string }).kind, 'session.end')
  })

  test('a server that hangs can be given up, and holds nobody who leaves', async () => {
    using project = withProject()
    const mcp = { slow: { command: [process.execPath, join(import.meta.dirname, 'mcp-server.ts'), 'hang'] } }
    project.write('~/.config/sluice/sluice.jsonc', JSON.stringify({ mcp, permission: { bash: 'deny' } }))
    using pane = chat(project, ['go'])
    await pane.shows(/getting ready · \d s$/)
    pane.press('C-c')
    await pane.shows(/slow: it was stopped before it was ready[^]*■ turn 1 · cancelled[^]*❯$/)
    pane.type('go on')
    pane.press('Enter')
    await pane.shows(/✔ turn 2 [^]*❯$/)
    pane.press('C-d')
    await pane.shows(/EXIT 0/)
    using other = chat(project)
    await other.shows(prompt)
    const before = Date.now()
    other.press('C-d')
    await other.shows(/EXIT 0/)
    assert.ok(Date.now() - before < 5000)
  })

  test('without a terminal it says what to use', () => {
    const { status, stderr } = sluice(['chat', 'hello'], 'input')
    assert.equal(status, 2)
    assert.match(stderr, /chat needs a terminal.*sluice run/)
  })
})

/** The command that the agent runs; a number that no process has when there is none. */
function childOf({ root }: Project): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'sleep\x0061\x00' && statSync(`/proc/${pid}/cwd/`).ino === statSync(root).ino)
        return Number(pid)
    } catch {
      // it is gone by now
    }
  }
  return 99_999_999
}
