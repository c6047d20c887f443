// The loop, with a scripted model in process and tools of the tests' own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConversation } from './model/conversation.ts'
import { allow, call, echo, toolOf, trial, whole } from './support.test.ts'

const last = { text: 'done' }

test('a session from start to end, in order, with one of each frame', async () => {
  const { events, done } = await whole({ turns: [{ think: 'hm', text: 'look', tools: [call('echo', { text: 'a' })] }, last] })
  assert.deepEqual(
    events.map(({ kind }) => kind),
    [
      'session.start',
      'catalog.update',
      'turn.start',
      'prompt.submit',
      'message.start',
      'thought.delta',
      'thought.end',
      'text.delta',
      'text.end',
      'tool.start',
      'message.end',
      'tool.update',
      'tool.end',
      'message.start',
      'text.delta',
      'text.end',
      'message.end',
      'turn.end',
      'session.end',
    ],
  )
  assert.ok(events.every(({ synthetic }) => synthetic === undefined))
  assert.deepEqual(
    { ...(await done), durationMs: 0 },
    {
      reason: 'end_turn',
      text: 'done',
      durationMs: 0,
      turns: 2,
      usage: { input: 200, output: 40, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    },
  )
})

test('a price that nobody knows is absent, never zero', async () => {
  const { of } = await whole({ turns: [last] })
  assert.ok(of('message.end').every((event) => event.cost === undefined && event.context === undefined))
  assert.equal(of('session.end')[0]?.cost, undefined)
  const cut = await whole({ turns: [{ text: 'half of it', cut: true }] }, { apiRetries: 0 }) // it told no tokens
  assert.deepEqual(
    [...cut.of('turn.end'), ...cut.of('session.end')].map(({ usage, cost }) => ({ usage, cost })),
    [
      { usage: {}, cost: undefined },
      { usage: {}, cost: undefined },
    ],
  )
})

test('what is wrong with a call is told to the model, and the run goes on', async () => {
  const { of, done } = await whole(
    {
      turns: [
        { tools: [call('ecko', { text: 'a' }), call('echo', { text: 7 }), call('echo')] },
        { malformed: true, tools: [call('echo', { text: 'a' })] },
        { tools: [call('broken')] },
        last,
      ],
    },
    { tools: [echo, toolOf('broken', () => Promise.reject(new Error('it broke')))] },
  )
  const texts = of('tool.end').map(({ status, text }) => `${status}: ${text}`)
  assert.match(texts[0]!, /error: there is no tool "ecko" \(did you mean echo\?\)/)
  assert.match(texts[1]!, /error: wrong arguments for echo: .*must be string/)
  assert.match(texts[2]!, /error: wrong arguments for echo: .*lacks "text"/)
  assert.match(texts[3]!, /error: the arguments are not JSON/)
  assert.match(texts[4]!, /error: broken failed: it broke/)
  assert.equal((await done).reason, 'end_turn')
})

test('a refusal is told to the model and counted, and the run goes on', async () => {
  const { of, done } = await whole(
    { turns: [{ tools: [call('echo', { text: 'a' })] }, last] },
    { answer: () => ({ decision: 'reject', by: 'rule', text: 'not here' }) },
  )
  const [end] = of('tool.end')
  assert.equal(end?.status, 'denied')
  assert.equal(end?.text, 'not here')
  assert.deepEqual(
    of('turn.end')[0]?.denied?.map(({ name }) => name),
    ['echo'],
  )
  assert.equal((await done).reason, 'end_turn')
})

test('an answer may change what the call is given, stand for its result, or end the turn', async () => {
  const changed = await whole(
    { turns: [{ tools: [call('echo', { text: 'a' })] }, last] },
    { answer: () => ({ ...allow(), input: { text: 'b' } }) },
  )
  assert.equal(changed.of('tool.end')[0]?.text, 'b')
  const dry = await whole(
    { turns: [{ tools: [call('echo', { text: 'a' })] }, last] },
    { answer: () => ({ ...allow(), instead: { dry_run: true } }) },
  )
  assert.deepEqual(dry.of('tool.end')[0]?.data, { dry_run: true })
  const stopped = await whole(
    { turns: [{ tools: [call('echo', { text: 'a' })] }, last] },
    { answer: () => ({ decision: 'reject', by: 'user', stop: true }) },
  )
  assert.equal((await stopped.done).reason, 'cancelled')
  assert.equal(stopped.of('message.start').length, 1)
})

test('calls of one answer run side by side, but those that change files one after another', async () => {
  let running = 0
  let most = 0
  const slow = (name: string, kind: 'other' | 'edit') =>
    toolOf(
      name,
      async () => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running--
        return { text: name }
      },
      kind,
    )
  await whole({ turns: [{ tools: [call('a'), call('b'), call('a')] }, last] }, { tools: [slow('a', 'other'), slow('b', 'other')] })
  assert.equal(most, 3)
  most = 0
  await whole({ turns: [{ tools: [call('a'), call('b'), call('a')] }, last] }, { tools: [slow('a', 'edit'), slow('b', 'edit')] })
  assert.equal(most, 1)
})

test('a failed call of the model is made again, and each try is told', async () => {
  const { of, done } = await whole({ turns: [{ error: { status: 429, message: 'slow down', retryAfter: '1ms', times: 2 }, text: 'ok' }] })
  assert.deepEqual(
    of('retry.start').map(({ attempt, max, delayMs, error }) => [attempt, max, delayMs, error?.category]),
    [
      [1, 2, 1, 'rate_limit'],
      [2, 2, 1, 'rate_limit'],
    ],
  )
  assert.equal(of('message.start').length, 1)
  assert.equal((await done).text, 'ok')
})

test('an answer that breaks off is withdrawn and asked for again', async () => {
  const { of, events, done } = await whole({ turns: [{ cut: 1, text: 'a long answer', chunk: 2 }] }, { apiRetries: 1 })
  assert.deepEqual(
    of('message.drop').map(({ fromBlock, why }) => [fromBlock, why]),
    [[0, 'stream_error']],
  )
  const conversation = createConversation()
  for (const event of events) conversation.push(event)
  assert.equal(JSON.stringify(conversation.messages()).split('a long answer').length, 2)
  assert.equal((await done).text, 'a long answer')
})

test('a failure that lasts ends the turn and the session with its fault', async () => {
  for (const [status, category] of [
    [401, 'auth'],
    [429, 'rate_limit'],
    [500, 'provider'],
  ] as const) {
    const { of, events, done } = await whole({ turns: [{ error: { status, message: 'no', retryAfter: '1ms' } }] })
    assert.equal((await done).error?.category, category)
    assert.equal((await done).reason, 'error')
    assert.deepEqual(
      events.slice(-4).map(({ kind }) => kind),
      ['message.end', 'error', 'turn.end', 'session.end'],
    )
    assert.equal(of('retry.start').length, status === 401 ? 0 : 2)
  }
})

test('a refusal of the model and its token limit are reasons of their own', async () => {
  assert.equal((await (await whole({ turns: [{ text: 'no', finish: 'refusal' }] })).done).reason, 'refusal')
  assert.equal((await (await whole({ turns: [{ text: 'and so', finish: 'length' }] })).done).reason, 'max_tokens')
})

test('a cancelled turn ends its tools, says why, and the next prompt is taken', async () => {
  const one = await trial(
    { turns: [{ tools: [call('hang')] }, last] },
    {
      tools: [toolOf('hang', (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))))],
    },
  )
  one.send({ type: 'prompt', text: 'first' })
  await one.seen('tool.update')
  one.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled', text: 'stop' })
  await one.seen('turn.end')
  assert.equal(one.of('tool.end')[0]?.status, 'cancelled')
  assert.equal(one.of('turn.end')[0]?.reason, 'cancelled')
  one.send({ type: 'prompt', text: 'second' })
  one.send({ type: 'finish' })
  assert.equal((await one.done).reason, 'end_turn')
  assert.deepEqual(
    one.of('turn.start').map(({ turn }) => turn),
    [1, 2],
  )
})

test('a cap lets the running step finish, and no other begin', async () => {
  const one = await trial({ turns: [{ tools: [call('echo', { text: 'a' })] }, last] }, { answer: () => undefined })
  one.send({ type: 'prompt', text: 'go' })
  await one.seen('message.end')
  one.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'max_turns', when: 'step', text: 'cap', code: 'max_turns' })
  while (one.asks.length === 0) await new Promise(setImmediate)
  one.send({ type: 'permission', id: one.asks[0]!.id, answer: allow() })
  const done = await one.done
  assert.equal(done.reason, 'max_turns')
  assert.equal(one.of('tool.end')[0]?.status, 'ok')
  assert.equal(one.of('message.start').length, 1)
})

test('a cap that is reached with the last answer changes nothing, unless a prompt still waits', async () => {
  for (const [prompts, reason] of [
    [['go'], 'end_turn'],
    [['go', 'on'], 'budget'],
  ] as const) {
    const one = await trial({ turns: [last, last] })
    for (const text of prompts) one.send({ type: 'prompt', text })
    one.send({ type: 'finish' })
    await one.seen('message.end')
    one.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'budget', when: 'step', text: 'cap', code: 'max_tokens' })
    assert.equal((await one.done).reason, reason)
    assert.deepEqual([one.of('turn.end').length, one.of('turn.end')[0]!.reason], [1, 'end_turn'])
  }
})

test('what is used up is used up for a subagent as well: it ends after its step', async () => {
  const one = await trial({
    lanes: [{ name: 'child', when: { prompt: 'count' }, turns: [{ tools: [call('echo', { text: 'x' })] }, { text: 'three' }] }],
    turns: [{ tools: [call('task', { description: 'Count', prompt: 'count them', subagent_type: 'default' })] }, last],
  })
  one.send({ type: 'prompt', text: 'go' })
  one.send({ type: 'finish' })
  await one.seen('task.start')
  one.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'budget', when: 'step', text: 'cap', code: 'max_tokens' })
  assert.equal((await one.done).reason, 'budget')
  assert.equal(one.of('message.start').length, 2) // one of each
  assert.deepEqual([one.of('tool.end')[0]!.status, one.of('task.end')[0]!.status], ['ok', 'error'])
})

test('a forced end comes at once, closes everything, and is the last word', async () => {
  const one = await trial({ turns: [{ tools: [call('hang')] }, last] }, { tools: [toolOf('hang', () => new Promise(() => {}))] })
  one.send({ type: 'prompt', text: 'go' })
  await one.seen('tool.update')
  one.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'cancelled_forced', text: 'enough' })
  assert.equal(one.events.at(-1)?.kind, 'session.end')
  assert.equal(one.of('tool.end')[0]?.status, 'abandoned')
  const { reason, forced } = await one.done
  assert.deepEqual([reason, forced], ['cancelled_forced', true])
})

test('an end that must be forced says why it had to end', async () => {
  const one = await trial({ turns: [{ tools: [call('hang')] }, last] }, { tools: [toolOf('hang', () => new Promise(() => {}))] })
  one.send({ type: 'prompt', text: 'go' })
  await one.seen('tool.update')
  one.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'timeout', text: 'the time is up', code: 'timeout' })
  one.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'cancelled_forced', text: 'the time is up' })
  const { reason, error, forced } = await one.done
  assert.deepEqual([reason, error?.category, error?.text, forced], ['timeout', 'timeout', 'the time is up', true])
  assert.equal(one.of('session.end')[0]?.reason, 'timeout')
})

test('a subagent works in a lane of its own, and its tokens are counted once', async () => {
  const { of, done } = await whole({
    lanes: [{ name: 'child', when: { prompt: 'count' }, turns: [{ tools: [call('echo', { text: 'x' })] }, { text: 'three' }] }],
    turns: [{ tools: [call('task', { description: 'Count', prompt: 'count them', subagent_type: 'default' })] }, last],
  })
  const [start] = of('task.start')
  const lane = start?.task
  assert.ok(of('tool.start').some(({ agent, name }) => agent === lane && name === 'echo'))
  assert.match(of('tool.end').find(({ name }) => name === 'task')?.text ?? '', /^task_id: .*\n\nthree$/)
  assert.equal(of('task.end')[0]?.usage?.input, 200)
  assert.equal(of('turn.end')[0]?.usage?.input, 400)
  assert.equal(of('turn.end')[0]?.own?.input, 200)
  assert.equal((await done).turns, 2)
})

test('a session goes on from its events alone', async () => {
  const script = { turns: [{ text: 'one', tools: [call('echo', { text: 'a' })] }, { text: 'two' }, { text: 'three' }] }
  const first = await whole(script)
  const history = JSON.parse(JSON.stringify(first.events)) as typeof first.events
  const next = await whole(script, { how: 'resumed', history })
  assert.equal((await next.done).text, 'three') // the script is three answers long: the model has seen the first two
  assert.equal(next.of('turn.start')[0]?.turn, 2)
  assert.equal(next.of('session.start')[0]?.how, 'resumed')
})

test('a long conversation is trimmed with a notice, and goes on', async () => {
  const turns = [...Array.from({ length: 6 }, (_, index) => ({ tools: [call('echo', { text: String(index) })] })), last]
  const { of, done } = await whole({ turns }, { historyLimit: 6 })
  assert.ok(of('context.trim').length > 0)
  assert.match(of('context.trim')[0]?.text ?? '', /^Trimmed \d+ older message\(s\) from model context\.$/)
  assert.equal((await done).text, 'done')
})

test('skills are listed for each answer, loaded on demand, and their files are told', async () => {
  const skill = { name: 'note', description: 'Write a note', path: '/s/note/SKILL.md', folder: '/s/note' }
  const read = {
    ...toolOf('read', () => Promise.resolve({ text: 'x' }), 'read'),
    plan: () => ({ title: 'x', paths: ['/s/note/a.md'], run: () => Promise.resolve({ text: 'x' }) }),
  }
  const { of } = await whole(
    { turns: [{ tools: [call('skill', { name: 'note' })] }, { tools: [call('read')] }, last] },
    { skills: [skill], loadSkill: () => Promise.resolve({ body: 'Do it so.', files: ['a.md'] }), tools: [read] },
  )
  assert.deepEqual(
    of('skill.load').map(({ level }) => level),
    ['listed', 'loaded', 'listed', 'resource', 'listed'],
  )
  assert.match(of('tool.end')[0]?.text ?? '', /Do it so\./)
})

test('what a tool says is concealed before the model or anybody else hears it', async () => {
  const { of } = await whole(
    { turns: [{ tools: [call('echo', { text: 'the key is sesame' })] }, last] },
    { conceal: (text) => text.replace('sesame', '***') },
  )
  assert.equal(of('tool.end')[0]?.text, 'the key is ***')
})
