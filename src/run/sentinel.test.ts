import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { clearSentinel, permissionBaseOf, sentinelText, writeSentinel } from './sentinel.ts'

const session = 'ses_1'
const texts: [Parameters<typeof sentinelText>[0], string][] = [
  [{ exitCode: 0, session, reason: 'end_turn', run: 'run_1' }, 'DONE\nSESSION=ses_1\nSTOP_REASON=end_turn\nRUN=run_1\n'],
  [{ exitCode: 0 }, 'DONE\nSESSION=\nSTOP_REASON=end_turn\n'],
  [{ exitCode: 1, session, reason: 'refusal' }, 'FAILED\nSESSION=ses_1\nSTOP_REASON=refusal\nEXIT_CODE=1\n'],
  [{ exitCode: 1, session, reason: 'degenerate' }, 'FAILED\nSESSION=ses_1\nSTOP_REASON=degenerate_reasoning_stream\nEXIT_CODE=1\n'],
  [{ exitCode: 2, run: 'run_1' }, 'FAILED\nSESSION=\nSTOP_REASON=exit_2\nEXIT_CODE=2\nRUN=run_1\n'],
  [{ exitCode: 3, session, reason: 'max_tokens' }, 'FAILED\nSESSION=ses_1\nSTOP_REASON=max_tokens\nEXIT_CODE=3\n'],
  [{ exitCode: 4, session, reason: 'max_turns' }, 'FAILED\nSESSION=ses_1\nSTOP_REASON=max_turn_requests\nEXIT_CODE=4\n'],
  [
    { exitCode: 5, session, reason: 'end_turn', blockedBy: 'no network', run: 'r' },
    'BLOCKED\nSESSION=ses_1\nSTOP_REASON=blocked\nREASON=no network\nRUN=r\n',
  ],
  [{ exitCode: 5, session }, 'BLOCKED\nSESSION=ses_1\nSTOP_REASON=blocked\n'],
  [{ exitCode: 124, session, reason: 'timeout' }, 'TIMEOUT\nSESSION=ses_1\nSTOP_REASON=timeout\n'],
  [{ exitCode: 124, session, reason: 'stall' }, 'TIMEOUT\nSESSION=ses_1\nSTOP_REASON=progress_timeout\n'],
  [{ exitCode: 130, session, reason: 'cancelled', run: 'r' }, 'KILLED\nSESSION=ses_1\nSTOP_REASON=cancelled\nEXIT_CODE=130\nRUN=r\n'],
  [{ exitCode: 143, session }, 'KILLED\nSESSION=ses_1\nSTOP_REASON=cancelled\nEXIT_CODE=143\n'],
]
for (const [facts, text] of texts)
  test(`exit code ${facts.exitCode}, ${facts.reason ?? 'no reason'}: these very lines`, () => assert.equal(sentinelText(facts), text))

test('what an agent says adds no line', () =>
  assert.equal(
    sentinelText({ exitCode: 5, session: 's\nDONE', blockedBy: 'a\r\nRUN=x', run: 'r\rEXIT_CODE=0' }),
    'BLOCKED\nSESSION=s DONE\nSTOP_REASON=blocked\nREASON=a  RUN=x\nRUN=r EXIT_CODE=0\n',
  ))

test('questions stand beside the sentinel', () =>
  assert.deepEqual(['a.done', 'a.done.done', 'a', 'a.done/b'].map(permissionBaseOf), ['a.perm', 'a.done.perm', 'a.perm', 'a.done/b.perm']))

suite('the file', () => {
  let folder = ''
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'sluice-sentinel-'))))
  after(() => rm(folder, { recursive: true }))

  test('replaces the one before, is for its owner alone, and leaves nothing else behind', async () => {
    const path = join(folder, 'run.done')
    await writeFile(path, 'OLD\n', { mode: 0o644 })
    await writeSentinel(path, { exitCode: 0, session })
    assert.equal(await readFile(path, 'utf8'), 'DONE\nSESSION=ses_1\nSTOP_REASON=end_turn\n')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(folder), ['run.done'])
  })
  test('is not made where its folder is missing', () =>
    assert.rejects(writeSentinel(join(folder, 'none', 'run.done'), { exitCode: 0 }), { code: 'ENOENT' }))
  test('is cleared with the questions that an earlier run left, and nothing else', async () => {
    for (const name of ['b.done', 'b.perm.req', 'b.perm.req.response', 'b.perm']) await writeFile(join(folder, name), '')
    await clearSentinel(join(folder, 'b.done'))
    await clearSentinel(join(folder, 'b.done'))
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('b')),
      ['b.perm'],
    )
  })
})
