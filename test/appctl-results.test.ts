// appctl's tool_result.result is what the tool returned: of every built-in tool in a live run, and from every dialect.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { convert, type DialectName, type Event, read } from '../src/index.ts'
import { fixture } from './run.ts'
import { linesOf, model, place, tell } from './run-support.ts'

const dialects = ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'acp', 'aictrl'] as const

const server = ['node', join(import.meta.dirname, 'mcp-server.ts')]
const skill = '---\nname: demo\ndescription: a demo\n---\nPeel the plum first.\n'
const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)

const calls: [tool: { name: string; input: Rec }, returned: RegExp][] = [
  [{ name: 'glob', input: { pattern: 'src/*' } }, /src\/many\.txt/],
  [{ name: 'grep', input: { pattern: 'line 7', path: 'src' } }, /line 7/],
  [{ name: 'read', input: { filePath: 'src/many.txt' } }, /line 30/],
  [{ name: 'bash', input: { command: 'echo pear; echo fig >&2; exit 3', description: 'fruit' } }, /pear.*fig.*"exit":3/],
  [{ name: 'write', input: { filePath: 'src/new.txt', content: 'apple\n' } }, /wrote .*apple/],
  [{ name: 'edit', input: { filePath: 'src/old.txt', oldString: 'quince', newString: 'medlar' } }, /replaced 1 .*medlar/],
  [{ name: 'skill', input: { name: 'demo' } }, /Peel the plum first\./],
  [{ name: 'todowrite', input: { todos: [{ content: 'cherry', status: 'pending', priority: 'high' }] } }, /1 of 1 to do.*cherry/],
  [{ name: 'task', input: { description: 'a look', prompt: 'look inside', subagent_type: 'explore' } }, /It is inside\./],
  [{ name: 'files_echo', input: { text: 'damson' } }, /echo: damson/],
  [{ name: 'no_such_tool', input: {} }, /there is no tool/],
]

suite('appctl results', () => {
  test('of every built-in tool, live', async (t) => {
    const here = place(t, {
      '~/.config/sluice/sluice.json': JSON.stringify({ mcp: { files: { command: server } } }),
      '.sluice/skills/demo/SKILL.md': skill,
      'src/many.txt': `${lines.join('\n')}\n`,
      'src/old.txt': 'quince\n',
    })
    const tools = calls.map(([tool], index) => ({ ...tool, id: `c${index}` }))
    const known = { name: 'read', input: { filePath: 'src/old.txt' } } // an edit wants the file to have been read
    const inner = { name: 'inner', when: { prompt: 'look inside' }, turns: [{ text: 'It is inside.' }] }
    const script = { lanes: [inner], turns: [{ tools: [known] }, { tools }, { text: 'done' }] }
    const { args } = await model(t, here, 'script', JSON.stringify(script))
    const told = await tell(here, ['go', '--auto-approve', ...args])
    for (const [index, [{ name }, returned]] of calls.entries()) {
      const result = told.appctl.find(({ kind, id }) => kind === 'tool_result' && id === `c${index}`)
      assert.match(JSON.stringify(result?.['result']), returned, name)
    }
  })

  for (const dialect of dialects)
    test(`from recordings of ${dialect}`, () => {
      let checked = 0
      for (const file of globSync('**/*.{ndjson,jsonl}', { cwd: fixture(dialect), exclude: ['**/rejected/**'] })) {
        const bytes = readFileSync(join(fixture(dialect), file))
        const results = resultsOf(bytes, dialect)
        for (const event of read(bytes, { dialect })) checked += event.kind === 'tool.end' && isHeld(event, results, file) ? 1 : 0
      }
      assert.ok(checked > 0)
    })
})

function resultsOf(bytes: Buffer, from: DialectName): Map<string, string[]> {
  const results = new Map<string, string[]>()
  for (const { kind, id, result } of linesOf(convert(bytes, { from, to: 'appctl' }).text)) {
    if (kind !== 'tool_result') continue
    const known = results.get(String(id))
    if (known === undefined) results.set(String(id), [JSON.stringify(result)])
    else known.push(JSON.stringify(result))
  }
  return results
}

/** The text of a call is in one of the results of its id. */
function isHeld(event: Event & { kind: 'tool.end' }, results: Map<string, string[]>, file: string): boolean {
  const told = results.get(event.call ?? '')
  if (told === undefined || event.text === undefined) return false
  const text = JSON.stringify(event.text.trim()).slice(1, -1)
  const isJson = /^[[{]/.test(event.text) && told.includes(JSON.stringify(event.data))
  assert.ok(isJson || told.some((result) => result.includes(text)), `${file}: ${event.call}: ${event.text}`)
  return true
}
