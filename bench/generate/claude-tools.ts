/**
 * Tool calls of Claude Code 2.1.325 as the recordings show them: input, result text and `tool_use_result`.
 * Results keep lines below 50 KB: the content stands in them twice.
 */
import { WIDE } from './contract.ts'
import type { Random } from './random.ts'
import type { Text } from './text.ts'

export interface Call {
  name: string
  input: object
  /** Absent `isError` means that the key is absent: only Bash writes it on success. */
  isError?: boolean
  content: string
  result: object | string
}

const CURRENT = '(file state is current in your context — no need to Read it back)'

export function createCalls(random: Random, text: Text, root: string): () => Call {
  const { int, spread, chance, pick } = random
  const file = (): string => `${root}/${text.path()}`
  const wide = (): boolean => chance(WIDE)

  const read = (): Call => {
    const path = file()
    const content = text.code(spread(150, 22_000), wide())
    const lines = content.split('\n')
    const start = int(1, 400)
    return {
      name: 'Read',
      input: chance(0.4) ? { file_path: path, offset: start, limit: lines.length } : { file_path: path },
      content: lines.map((line, i) => `${start + i}\t${line}`).join('\n'),
      result: {
        type: 'text',
        file: { filePath: path, content, numLines: lines.length, startLine: start, totalLines: start + lines.length },
      },
    }
  }
  const bash = (): Call => {
    const input = { command: text.command(), description: text.sentence() }
    const output = text.code(spread(40, 14_000), wide())
    if (chance(0.12)) {
      const failure = `Exit code ${int(1, 3)}\n${output}`
      return { name: 'Bash', input, isError: true, content: failure, result: `Error: ${failure}` }
    }
    const result = { stdout: output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false }
    return { name: 'Bash', input, isError: false, content: output, result }
  }
  const edit = (): Call => {
    const path = file()
    const before = text.code(spread(60, 1500), wide())
    const after = text.code(spread(60, 1500))
    const original = text.code(spread(500, 12_000))
    const lines = [...before.split('\n').map((line) => `-${line}`), ...after.split('\n').map((line) => `+${line}`)]
    return {
      name: 'Edit',
      input: { replace_all: false, file_path: path, old_string: before, new_string: after },
      content: `The file ${path} has been updated successfully. ${CURRENT}`,
      result: {
        filePath: path,
        oldString: before,
        newString: after,
        originalFile: original,
        structuredPatch: [{ oldStart: int(1, 300), oldLines: lines.length, newStart: int(1, 300), newLines: 9, lines }],
        userModified: false,
        replaceAll: false,
      },
    }
  }
  const write = (): Call => {
    const path = file()
    const content = text.code(spread(200, 12_000), wide())
    return {
      name: 'Write',
      input: { file_path: path, content },
      content: `File created successfully at: ${path} ${CURRENT}`,
      result: { type: 'create', filePath: path, content, structuredPatch: [], originalFile: null, userModified: false },
    }
  }
  const grep = (): Call => {
    const hits = Array.from({ length: spread(1, 120) }, () => `${text.path()}:${int(1, 900)}:${text.code(20)}`)
    const content = hits.join('\n').replaceAll(/\n(?=\s)/g, ' ')
    return {
      name: 'Grep',
      input: { pattern: text.identifier(), output_mode: 'content' },
      content,
      result: { mode: 'content', numFiles: 0, filenames: [], content, numLines: hits.length, totalLines: hits.length },
    }
  }
  const glob = (): Call => {
    const filenames = Array.from({ length: spread(1, 100) }, () => text.path())
    return {
      name: 'Glob',
      input: { pattern: '**/*.ts' },
      content: filenames.join('\n'),
      result: {
        filenames,
        durationMs: int(3, 60),
        numFiles: filenames.length,
        truncated: false,
        totalMatches: filenames.length,
        countIsComplete: true,
      },
    }
  }
  const kinds = [read, read, read, bash, bash, bash, edit, edit, write, grep, glob]
  return () => pick(kinds)()
}
