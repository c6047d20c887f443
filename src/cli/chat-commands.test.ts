import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatSession } from './chat-session.ts'
import { commandWords, isCommand, runCommand } from './chat-commands.ts'
import type { RunRequest } from '../run/request.ts'

function context() {
  const printed: string[] = []
  const reopened: Partial<RunRequest>[] = []
  const gates = { readOnly: false, dryRun: false, strict: false }
  let model = 'a/one'
  const session = {
    flags: { gates },
    id: () => 'ses_1',
    model: () => model,
    setModel: async (name: string) => void (model = name),
    prepared: {
      profile: { name: 'default' },
      request: {
        profiles: [
          { name: 'default', description: '' },
          { name: 'explore', description: '' },
        ],
      },
    },
  } as unknown as ChatSession // what the commands of these tests look at
  const say = (text: string): Promise<void | 'leave'> =>
    runCommand(text, {
      session,
      width: 80,
      colour: false,
      print: (lines) => void printed.push(...lines),
      reopen: async (change) => void reopened.push(change),
    })
  return { say, printed, reopened, gates }
}

test('only a word behind a slash is a command', () => {
  for (const text of ['/help', '/HELP', '/model a/b', '/', '/read-only on']) assert.ok(isCommand(text), text)
  for (const text of ['/etc/hosts is wrong', 'help', ' /help', '/2 of it']) assert.ok(!isCommand(text), text)
})

test('an unknown command names the nearest one', async () => {
  const { say, printed } = context()
  await say('/modle x')
  await say('/zzzzzzzz')
  assert.deepEqual(printed, ['there is no command "/modle"; did you mean /model?', 'there is no command "/zzzzzzzz"; /help lists them'])
})

test('help tells of every command', async () => {
  const { say, printed } = context()
  await say('/help')
  for (const word of commandWords) assert.ok(printed.join('\n').includes(word), word)
  assert.doesNotMatch(printed.join('\n'), /…/) // at 80 columns nothing is cut
  assert.ok(printed.every((line) => line.length <= 80))
})

test('exit and quit leave', async () => {
  const { say } = context()
  assert.deepEqual([await say('/exit'), await say('/quit'), await say('/help')], ['leave', 'leave', undefined])
})

test('gates are shut and opened while the session lasts', async () => {
  const { say, printed, gates } = context()
  for (const text of ['/read-only', '/read-only on', '/dry-run on', '/dry-run off', '/dry-run maybe']) await say(text)
  assert.deepEqual(gates, { readOnly: true, dryRun: false, strict: false })
  assert.deepEqual(printed, ['read-only is off', 'read-only is on', 'dry run is on', 'dry run is off', 'say on or off, not "maybe"'])
})

test('a new session, another one, and another profile in this one', async () => {
  const { say, reopened } = context()
  for (const text of ['/clear', '/resume ses_9', '/profile explore']) await say(text)
  assert.deepEqual(reopened, [
    { session: { how: 'new' } },
    { session: { how: 'resumed', id: 'ses_9' } },
    { profile: 'explore', session: { how: 'resumed', id: 'ses_1' } },
  ])
  await assert.rejects(say('/profile exlpore'), /did you mean explore/)
})

test('the model is told, and changed', async () => {
  const { say, printed } = context()
  await say('/model')
  await say('/model b/two')
  assert.deepEqual(printed, ['the model is a/one', 'the model is b/two'])
})
