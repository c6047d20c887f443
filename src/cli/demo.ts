// sluice demo: the main job on embedded defaults. A small project with a failing test is made in a temporary folder; the built-in agent
// mends it. The loop, the tools, the subagent and the refusal are real; only the words of the model are scripted.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quoted, shellWord } from '../base/text.ts'
import { createDigest, type Digest } from '../analyze/digest.ts'
import { createPricer } from '../prices/price.ts'
import { createReader } from '../stream/read.ts'
import { digestLines } from '../views/digest.ts'
import { loadDialect } from './dialects.ts'
import { exitCodes, systemReason, usageError } from './exit.ts'
import { screen } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { requestFrom } from './run-options.ts'
import { liveRun } from './run-live.ts'
import { screenOf } from './terminal.ts'
import { loadPrices } from './usage-prices.ts'

export const spec: CommandSpec = {
  usage: 'sluice demo',
  about: `Runs the built-in agent in a small project whose test fails. The agent finds and fixes the bug, uses a skill and a subagent, and is refused
one command. Needs no key and no network. The events stay in a folder, in five dialects, with a digest.`,
  options: {},
  examples: [['sluice demo', 'takes a few seconds and ends by itself']],
}

const prompt = 'The test of the greeting fails. Find the bug, mend it, write the release note and publish it.'

const project: Record<string, string> = {
  'package.json': '{ "name": "greeting", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/greeting.js': 'export function greeting(name) {\n  return `Hello, ${name}!`\n}\n',
  'test/greeting.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { greeting } from '../src/greeting.js'

test('greets by name', () => assert.equal(greeting('Ada'), 'Hello, Ada!'))
test('greets somebody without a name', () => assert.equal(greeting(''), 'Hello!'))
`,
  'AGENTS.md': 'Run `node --test` before you say that you are done.\n',
  '.agents/skills/release-note/SKILL.md': `---
name: release-note
description: Write the release note of a change
version: 1.0.0
---
Write RELEASE.md in the form of template.md: one heading for the kind of change, one line for each thing that users notice.
`,
  '.agents/skills/release-note/template.md': '# Added | Changed | Fixed\n\n- What a user sees, in one line.\n',
}

/** What the demo may do without asking; the command that publishes is not on the list. */
const rules = ['edit:src/*=allow', 'write:RELEASE.md=allow', 'bash:node --test=allow']
const dialects = ['sluice', 'aictrl', 'avenor', 'appctl', 'claude']

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'sluice-demo-'))
  } catch (error) {
    throw usageError(
      `the demo cannot make a folder in ${quoted(tmpdir())}: ${systemReason(error)}; set TMPDIR to a folder that is writable`,
    )
  }
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  if (parsed.files.length > 0) throw usageError('the demo takes no FILE')
  const folder = makeFolder()
  const home = join(folder, 'home')
  const dir = join(folder, 'project')
  const streams = join(folder, 'streams')
  for (const [name, text] of Object.entries(project)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  for (const place of [home, streams]) mkdirSync(place)
  // Nothing of the user's own counts here, so that the demo is the same everywhere.
  Object.assign(process.env, {
    HOME: home,
    XDG_RUNTIME_DIR: home,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
  })
  for (const name of ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']) delete process.env[name]

  const code = await liveRun(requestFrom({ model: 'script/demo', dir, permission: rules, 'max-turns': '20' }), {
    prompt: { text: prompt, files: [] },
    format: 'pretty',
    outputs: dialects.map((name) => `${name}:${join(streams, `${name}.ndjson`)}`),
    interactive: false,
  })
  const digest = await digestOf(join(streams, 'sluice.ndjson'))
  writeFileSync(join(folder, 'digest.txt'), linesText([...digestLines(digest, { width: 100, colour: false })]))
  writeFileSync(join(folder, 'digest.json'), `${JSON.stringify(digest)}\n`)
  const out = screen()
  for (const line of ['', ...digestLines(digest, screenOf()), '', ...closing(folder)]) out.line(line)
  out.flush()
  return code
}

async function digestOf(file: string): Promise<Digest> {
  const dialect = await loadDialect('sluice', '--from')
  const fold = createDigest({ nameOf: dialect.tag, price: createPricer(await loadPrices()) })
  const reader = createReader(dialect, (events, record) => {
    for (const event of events) fold.push(event, record)
  })
  reader.push(readFileSync(file))
  reader.end()
  return fold.report()
}

const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

function closing(folder: string): string[] {
  const left = [
    ['project/', 'the project, fixed'],
    ['streams/', `the events, in each of ${dialects.join(', ')}`],
    ['digest.txt', 'the summary above'],
    ['digest.json', 'the same for programs'],
    ['home/', 'the session, as every run keeps it'],
  ] as const
  return [
    `All of it is in ${folder}`,
    ...left.map(([name, about]) => `  ${name.padEnd(12)} ${about}`),
    '',
    `Look again: ${shellWord(called())} show ${shellWord(join(folder, 'streams', 'sluice.ndjson'))}`,
  ]
}

/** As it can be called from here: a checkout need not be on PATH. */
function called(): string {
  if (process.env['PATH']?.split(delimiter).some((folder) => existsSync(join(folder, 'sluice')))) return 'sluice'
  const own = fileURLToPath(new URL('../bin/sluice', import.meta.url))
  const near = relative('.', own)
  return near.startsWith('..') ? own : near
}
