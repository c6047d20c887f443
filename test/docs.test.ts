// The documentation tells the truth: its commands print what it shows, its code runs, its links lead somewhere, its options exist.
import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { pageOf, pagePath, toolsPage } from '../scripts/docs.ts'
import { exitCodes } from '../src/cli/exit.ts'
import { isWritable } from '../src/dialects/contract.ts'
import { records } from '../src/dialects/sluice/wire.ts'
import { dialects } from '../src/index.ts'
import { needDebian } from './debian.ts'
import { blocksOf, commandsOf, pages, place, runCode, runCommands, shows, tableAfter, textOf, workspace } from './docs.ts'
import { root, sluice } from './run.ts'

const folders: string[] = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))
function newWorkspace(): string {
  const folder = workspace()
  folders.push(folder)
  return folder
}

suite('commands print what the page shows', () => {
  for (const page of pages) {
    const blocks = blocksOf(page).filter(({ info, lines }) => info === 'sh' && lines.some((line) => line.startsWith('$ ')))
    if (blocks.length === 0) continue
    test(page, () => {
      needDebian({ jq: 'jq' })
      const cwd = newWorkspace() // one for the page: a block may use what a former one has written
      for (const block of blocks) {
        const ran = runCommands(commandsOf(block), cwd)
        for (const [index, { line, text, expected, output, status }] of ran.entries()) {
          assert.ok(expected.trim() === '' || shows(expected, output), `${page}:${line}: ${text}\nshows:\n${expected}\nprints:\n${output}`)
          if (status !== 0)
            assert.equal(
              ran[index + 1]?.text,
              'echo $?',
              `${page}:${line}: ${text}\nexits with ${status}, and the page does not say so:\n${output}`,
            )
        }
      }
    })
  }
})

suite('code runs and prints what its comments say', () => {
  for (const block of pages.flatMap(blocksOf).filter(({ info }) => /^(js|ts) run$/.test(info))) {
    test(place(block), () => {
      const { output, status } = runCode(block.lines.join('\n'), block.info.startsWith('ts') ? 'ts' : 'mjs', newWorkspace())
      assert.equal(status, 0, output)
      const said = block.lines.flatMap((line) => /\/\/ → (.*)$/.exec(line)?.[1] ?? [])
      assert.ok(shows(said.join('\n'), output), `shows:\n${said.join('\n')}\nprints:\n${output}`)
    })
  }
})

test('links between pages lead to a file, and to a heading of it', () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- ]/gu, '')
      .replaceAll(' ', '-')
  const headingsOf = (path: string): string[] =>
    textOf(path)
      .split('\n')
      .flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? [])
      .map(slug)
  const linked = new Set<string>()
  for (const page of pages) {
    for (const [, target = ''] of textOf(page)
      .replaceAll(/```[^]*?```/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [path = '', heading] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      assert.ok(existsSync(join(root, file)), `${page} links to ${target}, which is not there`)
      if (heading !== undefined) assert.ok(headingsOf(file).includes(heading), `${page} links to ${target}, and there is no such heading`)
      if (file !== page) linked.add(file)
    }
  }
  assert.deepEqual(
    pages.filter((page) => page !== 'README.md' && !linked.has(page)),
    [],
    'nothing links to these pages',
  )
})

test('the generated parts of docs/dialects are current', async () => {
  for (const dialect of Object.values(dialects)) {
    const page = `docs/dialects/${dialect.name}.md`
    assert.equal(await pageOf(dialect, textOf(page)), textOf(page), `${page} is out of date: run npm run docs`)
    assert.equal(pagePath(dialect.name), join(root, page))
    for (const part of isWritable(dialect) ? ['fields', 'order', 'losses'] : ['fields', 'order'])
      assert.ok(textOf(page).includes(`<!-- generated: ${part} -->`), `${page} has no part ${part}`)
  }
})

test('the arguments of the built-in tools in docs/tools.md are those of their schemas', () => {
  const page = textOf('docs/tools.md')
  assert.equal(toolsPage(page), page, 'docs/tools.md is out of date: run npm run docs')
  assert.match(page, /^\| `grep` \| `include`\? \| string \| /m)
})

suite('options', () => {
  const helpOf = (command: string): string => sluice([command, '--help']).stdout
  const optionsIn = (text: string): string[] => [...new Set(text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])]
  const commands = [...sluice(['--help']).stdout.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name!)
  const known = new Map(commands.map((command) => [command, optionsIn(helpOf(command).replace(/Examples:[^]*?(?=\nExit|$)/, ''))]))

  const pageOfCommand = (command: string): string => `docs/${command === 'model' ? 'script' : command}.md` // model.md is about events

  test('every option of a command stands in its page', () => {
    for (const [command, options] of known) {
      const page = pageOfCommand(command)
      if (!existsSync(join(root, page))) assert.deepEqual(options, ['--help'], `${command} has options and no page`)
      else for (const option of options) assert.ok(textOf(page).includes(`\`${option}`), `${page} does not tell of ${option}`)
    }
  })

  test('every option in a table of a command is one of its own', () => {
    for (const [command, options] of known) {
      if (!existsSync(join(root, pageOfCommand(command)))) continue
      for (const [, option = ''] of textOf(pageOfCommand(command)).matchAll(/^\| `(--[a-z][a-z-]*)/gm))
        assert.ok(options.includes(option), `${pageOfCommand(command)}: sluice ${command} has no ${option}`)
    }
  })

  test('every option that a page gives to sluice exists', () => {
    for (const page of pages) {
      for (const [, command = '', rest = ''] of textOf(page).matchAll(/sluice (\w+)((?: [^|>&;`#\n]*)?)/g)) {
        const options = known.get(command)
        if (options === undefined) continue
        for (const option of optionsIn(rest)) assert.ok(options.includes(option), `${page}: sluice ${command} has no ${option}`)
      }
      // A code span that is nothing but an option is one of ours.
      for (const [, option = ''] of textOf(page).matchAll(/`(--[a-z][a-z-]*)[^`]*`/g))
        assert.ok([...known.values()].flat().includes(option) || option === '--version', `${page}: no command has ${option}`)
    }
  })
})

suite('tables', () => {
  const lineOf = (page: string, text: string): number =>
    textOf(page)
      .split('\n')
      .findIndex((line) => line.includes(text))

  test('exit codes are those of the program', () => {
    const told = tableAfter('docs/exit-codes.md', 0).map(([code]) => Number(code))
    assert.deepEqual(
      told.filter((code) => code < 127),
      Object.values(exitCodes),
    )
  })

  test('the model page names every kind with all its fields, and every key of the envelope', () => {
    type Schema = { properties: Record<string, unknown> }
    const kinds = Object.entries(records as unknown as Record<string, Schema>)
    const shared = Object.keys(kinds[0]![1].properties).filter((key) => kinds.every(([, { properties }]) => key in properties))
    const page = textOf('docs/model.md')
    const rows = page.slice(page.indexOf('## Kinds'), page.indexOf('## Values that')).split('\n')
    const envelope = tableAfter('docs/model.md', lineOf('docs/model.md', '## The envelope')).map(([key]) => key)
    assert.deepEqual(new Set(envelope), new Set(shared))
    for (const [kind, { properties }] of kinds) {
      const row = rows.find((line) => line.startsWith(`| \`${kind}\` `))
      assert.ok(row !== undefined, `docs/model.md has no row for ${kind}`)
      for (const key of Object.keys(properties))
        if (!shared.includes(key)) assert.match(row, new RegExp(`\`${key}\``), `the row of ${kind} lacks ${key}`)
    }
  })

  test('the library page names every export', async () => {
    const page = textOf('docs/library.md')
    for (const entry of [
      'sluice',
      'sluice/analyze',
      'sluice/prices',
      'sluice/stream',
      'sluice/testing',
      ...Object.keys(dialects).map((name) => `sluice/dialects/${name}`),
    ])
      for (const name of Object.keys((await import(entry)) as object))
        assert.match(page, new RegExp(`\\b${name}\\b`), `docs/library.md does not tell of ${name} (${entry})`)
  })

  test('no page names a folder of this machine', () => {
    for (const page of pages) assert.ok(!textOf(page).includes(root), page)
  })
})
