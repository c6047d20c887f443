import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { whole } from '../support.test.ts'
import { allow, answerOf, play, refuse, replay } from './support.test.ts'

test('a question is raised with its command, and answered by the option of the right kind', async () => {
  const running = play(['ask rm x'], { answer: allow })
  await whole(running)
  const { permission, command, changes, place } = running.asks[0]!
  assert.deepEqual([permission, command!.text, changes], ['bash', 'rm x', true])
  assert.equal(place.call, running.of('tool.start')[0]!.call)
  assert.equal(answerOf(running), 'my-allow_once')
  assert.equal(running.of('tool.end')[0]!.status, 'ok')
  assert.equal(running.of('permission.request').length + running.of('permission.answer').length, 0)
  assert.deepEqual(running.withdrawn, [])
})

test('a question is about all the places that it names', async () => {
  const call = { kind: 'read', rawInput: { path: '/x/a' }, locations: [{ path: '/x/a' }, { path: '/etc/shadow' }] }
  const running = play([`ask-for ${JSON.stringify({ title: 'Read', ...call })}`, 'ask-for {"title":"Read","kind":"read"}'], {
    answer: refuse,
  })
  await whole(running)
  assert.deepEqual(
    running.asks.map(({ permission, paths, unread }) => [permission, paths, unread]),
    [
      ['read', ['/x/a', '/etc/shadow'], undefined],
      ['Read', undefined, ['external_directory', 'secret_file']],
    ],
  )
})

test('a refusal is said by the option that refuses once, or by none', async () => {
  const running = play(['ask rm x'], { answer: refuse })
  await whole(running)
  assert.equal(answerOf(running), 'my-reject_once')
  assert.equal(running.of('tool.end')[0]!.status, 'denied')
  for (const [kinds, answer] of [
    ['allow_once,reject_always', refuse],
    ['allow_always,reject_once', allow],
  ] as const) {
    const other = play(['ask rm x'], { answer, variables: { FIXTURE_OPTIONS: kinds } })
    await whole(other)
    assert.equal(answerOf(other), 'cancelled')
  }
})

test('a question that offers no yes at all says so, for nobody can allow it', async () => {
  for (const [kinds, onlyNo] of [
    ['allow_always,reject_once', undefined],
    ['reject_once', true],
    ['allow_once,reject_once', undefined],
  ] as const) {
    const running = play(['ask rm x'], { answer: refuse, variables: { FIXTURE_OPTIONS: kinds } })
    await whole(running)
    assert.equal(running.asks[0]!.onlyNo?.startsWith('The agent does not offer'), onlyNo)
    assert.equal(answerOf(running), 'my-reject_once')
  }
})

test("the agent's own options are what the question offers, and the chosen one reaches it", async () => {
  for (const option of ['my-allow_always', 'my-allow_once', 'my-reject_once', 'my-reject_always']) {
    const running = play(['ask rm x'], {
      answer: () => ({ ...(option.includes('allow') ? allow() : refuse()), option }),
      variables: { FIXTURE_OPTIONS: 'allow_always,allow_once,reject_once,reject_always' },
    })
    await whole(running)
    assert.deepEqual(running.asks[0]!.options, [
      { id: 'my-allow_always', kind: 'allow_always', label: 'allow_always' },
      { id: 'my-allow_once', kind: 'allow_once', label: 'allow_once' },
      { id: 'my-reject_once', kind: 'reject_once', label: 'reject_once' },
      { id: 'my-reject_always', kind: 'reject_always', label: 'reject_always' },
    ])
    assert.equal(answerOf(running), option)
  }
})

test('an agent that must go on asking is offered nothing that allows more than this call', async () => {
  const running = play(['ask rm x'], { answer: allow, more: { guard: 'asking' } })
  await whole(running)
  assert.deepEqual(
    running.asks[0]!.options?.map(({ id }) => id),
    ['my-allow_once', 'my-reject_once'],
  )
})

test('what the protocol cannot say of an answer is a refusal', async () => {
  for (const more of [{ input: { command: 'rm y' } }, { instead: { dry_run: true } }]) {
    const running = play(['ask rm x'], { answer: () => ({ ...allow(), ...more }) })
    await whole(running)
    assert.equal(answerOf(running), 'my-reject_once')
  }
})

test('an agent that gives up when a call is refused was blocked, whatever it calls that', async () => {
  for (const script of ['ask rm x', 'ask rm x\nstop cancelled']) {
    const running = play([script], { answer: refuse, variables: { FIXTURE_NO_WORDS: '1' } })
    const { reason, error } = await whole(running)
    assert.deepEqual([reason, error!.code], ['blocked', 'refused'])
  }
  const goesOn = play(['ask rm x\nsay then not'], { answer: refuse, variables: { FIXTURE_NO_WORDS: '1' } })
  assert.equal((await whole(goesOn)).reason, 'end_turn')
})

test('an answer that stops the turn ends it as cancelled', async () => {
  const running = play(['ask rm x\nwait'], { answer: () => ({ ...refuse(), stop: true }) })
  assert.equal((await whole(running)).reason, 'cancelled')
})

test('an interrupt answers open questions and ends the turn; the next prompt goes on', async () => {
  const running = play(['ask rm x\nwait'], { variables: { FIXTURE_NO_WORDS: '1' } })
  while (running.asks.length === 0) await sleep(5)
  running.send({ type: 'prompt', text: 'say again' })
  running.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
  const { reason, text } = await whole(running)
  assert.deepEqual([reason, text], ['end_turn', 'again'])
  assert.deepEqual(running.withdrawn, [running.asks[0]!.id])
  assert.deepEqual(
    running.of('turn.end').map((end) => end.reason),
    ['cancelled', 'end_turn'],
  )
  assert.equal(running.of('cancel.request').length, 1)
})

test('a prompt that interrupts goes before those that wait', async () => {
  const running = play(['wait', 'say later'])
  while (running.of('turn.start').length === 0) await sleep(5)
  running.send({ type: 'cancel', target: 'turn', by: 'host', reason: 'cancelled' })
  running.send({ type: 'prompt', text: 'say now', by: 'host', first: true })
  await whole(running)
  assert.deepEqual(
    running.of('turn.end').map(({ text }) => text),
    [undefined, 'now', 'later'],
  )
})

test('a question that nobody answers ends with the session', async () => {
  const running = play(['ask rm x'], { times: { interruptMs: 100 } })
  while (running.asks.length === 0) await sleep(5)
  running.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'timeout', text: 'nobody answered' })
  assert.equal((await whole(running)).reason, 'timeout')
  assert.deepEqual(running.withdrawn, [running.asks[0]!.id])
})

test('a question that cannot be read is answered all the same, and nobody is asked', async () => {
  const running = play(['ask-badly x'])
  assert.equal((await whole(running)).text, 'cancelled')
  assert.equal(running.asks.length, 0)
  assert.equal(running.of('issue').length, 1)
})

test('what a host might do for an agent is refused at once', async () => {
  for (const method of ['fs/read_text_file', 'terminal/create', 'elicitation/create', '_own/thing']) {
    const running = play([`want ${method}`])
    const { text, reason } = await whole(running)
    assert.equal(reason, 'end_turn')
    assert.match(text!, /^sluice (does not do|fills in no forms)/)
    assert.equal(running.asks.length, 0)
  }
})

// ── recordings of real agents ────────────────────────────────────────────────────────────────────────────────────────────

test('every agent is answered in its own words', async () => {
  for (const agent of ['claude', 'codex', 'gemini', 'opencode']) {
    const running = replay(`${agent}/c-bash-allow`, allow)
    assert.equal((await whole(running)).reason, 'end_turn', agent)
    assert.equal(running.asks.length, 1, agent)
    assert.equal(running.of('tool.end')[0]!.status, 'ok', agent)
  }
})

test('a command is asked about as a command, whatever the agent calls it', async () => {
  for (const agent of ['claude', 'codex', 'gemini', 'opencode']) {
    const running = replay(`${agent}/c-bash-allow`, allow)
    await whole(running)
    const { permission, command } = running.asks[0]!
    assert.equal(permission, 'bash', agent)
    assert.match(command!.text, /echo|ls|printf/, agent)
  }
})

test('a write is asked about with its file', async () => {
  for (const agent of ['claude', 'gemini', 'opencode']) {
    const running = replay(`${agent}/e-write-allow`, allow)
    await whole(running)
    const { permission, paths } = running.asks[0]!
    assert.match(permission, /^(write|edit)$/, agent)
    assert.match(paths![0]!, /new\.txt$/, agent)
  }
})

test('several turns of a real agent are several turns', async () => {
  for (const agent of ['claude', 'codex', 'gemini']) {
    const running = replay(`${agent}/j-multiturn`, allow, ['one', 'two'])
    assert.equal((await whole(running)).reason, 'end_turn', agent)
    assert.equal(running.of('turn.end').length, 2, agent)
  }
})
