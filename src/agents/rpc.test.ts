import assert from 'node:assert/strict'
import test from 'node:test'
import type { Rec } from '../base/json.ts'
import { type Kind, mayI, message, play, says, fails, type Table, tells, turn, well } from './rpc-support.test.ts'
import { whole } from './support.test.ts'

const kinds: readonly Kind[] = ['acp', 'codex']
/** The method that a turn begins with. */
const prompting = { acp: 'session/prompt', codex: 'turn/start' } as const
const allow = { decision: 'allow', by: 'user' } as const

test('an answer whose id is a text for a number is understood, as is one without the version or with an empty error', async () => {
  for (const kind of kinds) {
    for (const change of [
      (line: string) => line.replaceAll('"$id"', '"$text"'),
      (line: string) => line.replaceAll('"jsonrpc":"2.0",', ''),
      (line: string) => line.replaceAll('"jsonrpc":"2.0"', '"jsonrpc":2'),
      (line: string) => line.replaceAll('"result":', '"error":null,"result":'),
    ]) {
      const running = play(kind, JSON.parse(change(JSON.stringify(well[kind]))) as Table)
      const { reason, text } = await whole(running)
      assert.deepEqual([reason, text], ['end_turn', 'hi'], kind)
      assert.equal(running.of('session.start')[0]!.how, 'new')
      assert.equal(running.of('turn.end').length, 1)
      assert.equal(running.of('notice').length, 0)
    }
  }
})

test('an error beside a result that is null is an error', async () => {
  for (const [kind, method] of [
    ['acp', 'session/new'],
    ['codex', 'thread/start'],
  ] as const) {
    const running = play(kind, { [method]: [{ ...fails('$id', -32603, 'not today'), result: null }] })
    const { reason, error } = await whole(running)
    assert.deepEqual([reason, error!.text], ['error', 'not today'], kind)
  }
})

test('an answer to nothing that was asked is told, and ends nothing', async () => {
  for (const kind of kinds) {
    const stray = [says(99, { stopReason: 'end_turn' }), says(98, null), fails('x', 1, 'no'), says(12345678901234567890n.toString(), {})]
    const own = kind === 'acp' ? well.acp['session/prompt'] : well.codex['turn/start']
    const again = kind === 'acp' ? own.at(-1)! : own[0]!
    const running = play(kind, { initialize: [says(97, {}), ...well[kind].initialize], [prompting[kind]]: [...stray, ...own, again] })
    const { reason, text } = await whole(running)
    assert.deepEqual([reason, text, running.of('turn.end').length], ['end_turn', 'hi', 1], kind)
    const told = running.of('notice').filter(({ code }) => code === 'unknown-answer')
    assert.deepEqual(
      told.map(({ data }) => (data as Rec)['id']),
      [97, 99, 98, 'x', '12345678901234567890', kind === 'acp' ? 3 : 4],
    )
    assert.match(told[0]!.text, /an answer to request "97" came, and no such request is open/)
  }
})

test('a second answer to one prompt does not end the turn of the next', async () => {
  const twice = [...well.acp['session/prompt'], well.acp['session/prompt'].at(-1)!]
  const running = play('acp', { 'session/prompt': twice }, { prompts: ['one', 'two'] })
  await whole(running)
  assert.deepEqual(
    running.of('turn.end').map(({ text }) => text),
    ['hi', 'hi'],
  )
})

test('who could not read the only open request has failed it, though it cannot name it', async () => {
  for (const kind of kinds) {
    for (const method of ['initialize', prompting[kind]]) {
      const running = play(kind, { [method]: [fails(null, -32700, 'Parse error')], 'thread/start': [fails('$id', 1, 'Parse error')] })
      const { reason, error } = await whole(running)
      assert.deepEqual([reason, error!.text], ['error', 'Parse error'], `${kind} ${method}`)
    }
  }
})

test('a question is answered under the very id that it had', async () => {
  const ids = ['7', '"7"', '"a b"', '""', '9007199254740993', '-1', '0']
  for (const id of ids) {
    const question = JSON.stringify(mayI('ID', 'ls')).replace('"ID"', id)
    const running = play('acp', { 'session/prompt': [question], '(reply)': [says(3, { stopReason: 'end_turn' })] }, { answer: () => allow })
    assert.equal((await whole(running)).reason, 'end_turn', id)
    assert.ok(
      running.heard().includes(`{"jsonrpc":"2.0","id":${id},"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}`),
      id,
    )
    assert.equal(running.asks.length, 1)
  }
})

test('two open questions whose ids differ only in their type are not mixed up', async () => {
  const ends = [[], [says(3, { stopReason: 'end_turn' })]]
  const acp = play(
    'acp',
    { 'session/prompt': [mayI(1, 'rm a'), mayI('1', 'rm b')], '(reply)': ends },
    { answer: ({ command }) => (command?.text === 'rm b' ? allow : undefined) },
  )
  await whole(acp)
  const answers = acp.heard().filter((line) => line.includes('outcome'))
  assert.match(answers[0]!, /"id":1,.*cancelled/)
  assert.match(answers[1]!, /"id":"1",.*allow_once/)

  const asks = (id: unknown, command: string): Rec => ({
    id,
    ...tells('item/commandExecution/requestApproval', { turnId: 't1', itemId: command, command }),
  })
  const codex = play(
    'codex',
    {
      'turn/start': [{ id: '$id', result: turn('t1') }, tells('turn/started', turn('t1')), asks(1, 'rm a'), asks('1', 'rm b')],
      '(reply)': [[], [message('hi'), tells('turn/completed', turn('t1', 'completed'))]],
    },
    { answer: () => undefined },
  )
  while (codex.heard().every((line) => !line.includes('"id":"1"'))) await new Promise((resolve) => setTimeout(resolve, 5))
  codex.send({ type: 'permission', id: codex.asks[0]!.id, answer: allow })
  assert.equal((await whole(codex)).reason, 'end_turn')
  assert.deepEqual([codex.asks.length, codex.asks[0]!.command!.text], [1, 'rm a'])
  assert.ok(codex.heard().includes('{"id":1,"result":{"decision":"accept"}}'))
  assert.ok(codex.heard().some((line) => line.startsWith('{"id":"1","error":')))
})
