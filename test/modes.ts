// Root may read everything, whatever the mode of a file says. A test file about refusals therefore runs itself once more without that
// power: the same user and the same folders, but modes count.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const mark = 'SLUICE_TEST_BOUND_BY_MODES'

/** Whether modes count for this process. If not, a test is added that runs the file where they do; those that need it are to be skipped. */
export function isBoundByModes(file: string): boolean {
  if (!readsWhatIsClosed()) return true
  assert.equal(process.env[mark], undefined, 'setpriv did not take the power of root away')
  test('the tests of refusals pass where modes count', () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const args = ['--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-dac_override,-dac_read_search', process.execPath, file]
    const { status, error, stdout, stderr } = spawnSync('setpriv', args, { env: { ...env, [mark]: '1' }, encoding: 'utf8' })
    assert.equal(status, 0, error?.message ?? stdout + stderr)
  })
  return false
}

function readsWhatIsClosed(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-modes-'))
  const path = join(folder, 'closed')
  writeFileSync(path, '')
  chmodSync(path, 0)
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}
