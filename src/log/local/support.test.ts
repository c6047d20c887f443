// Logs in folders of their own, and files that fail.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Step, Store } from '../support.test.ts'
import { type Files, systemFiles } from './files.ts'
import { createLocalLog } from './index.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-log-'))
after(() => rmSync(root, { recursive: true, force: true }))
let made = 0

export function failing(fail: (step: Step) => Error | undefined): Files {
  const check = (step: Step): void => {
    const error = fail(step)
    if (error !== undefined) throw error
  }
  return {
    create: (path) => (check('create'), systemFiles.create(path)),
    write: (fd, bytes) => (check('write'), systemFiles.write(fd, bytes)),
    sync: async (fd) => (check('sync'), systemFiles.sync(fd)),
  }
}

export function newStore(): Store & { folder: string } {
  const folder = join(root, String(++made))
  return {
    folder,
    connect: (fail) => createLocalLog({ folder, ...(fail && { files: failing(fail) }) }),
    program: (body) => `
      import { createLocalLog } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)}
      const log = createLocalLog({ folder: ${JSON.stringify(folder)} })
      ${body}`,
  }
}
