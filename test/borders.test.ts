// The rooms of src/ keep their borders (the table and its rules: borders.ts), and the checker can fail: each rule is shown
// a made-up source that breaks it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findLeaks, referencesOf } from './borders.ts'

const root = new URL('..', import.meta.url)

test('the source keeps the borders of its rooms', () => {
  const files = globSync(['src/**/*.{ts,js}', 'web/**/*.{ts,tsx}'], { cwd: root })
  const sources = new Map(files.map((file) => [file, readFileSync(new URL(file, root), 'utf8')]))
  const seen = [...sources].flatMap(([file, text]) => referencesOf(file, text)).length
  assert.ok(seen >= files.length / 2, `only ${seen} imports seen in ${files.length} files: the reader is blind`)
  assert.deepEqual(findLeaks(sources), [])
})

const leaks: Record<string, { file: string; text: string; leak: RegExp }> = {
  'a room above': {
    file: 'src/base/a.ts',
    text: `import { b } from '../model/b.ts'`,
    leak: /:1: room 'src\/base\/' may not import/,
  },
  'a type only': { file: 'src/framing/a.ts', text: `\nimport type { B } from '../model/b.ts'`, leak: /:2: room/ },
  're-export': { file: 'src/views/a.ts', text: `export * from '../log/b.ts'`, leak: /may not import 'src\/log\/b.ts'/ },
  'an inline type': { file: 'src/base/a.ts', text: `let a: import('../cli/b.ts').B`, leak: /may not import/ },
  'a dynamic import': { file: 'src/stream/a.ts', text: 'await import(`../cli/b.ts`)', leak: /may not import/ },
  'a worker': {
    file: 'src/stream/a.ts',
    text: `new Worker(new URL('../cli/b.ts', import.meta.url))`,
    leak: /may not import/,
  },
  'import equals': { file: 'src/base/a.ts', text: `import b = require('../cli/b.ts')`, leak: /may not import/ },
  'a reference comment': {
    file: 'src/base/a.ts',
    text: `/// <reference path="../cli/b.ts" />`,
    leak: /may not import/,
  },
  'outside src': { file: 'src/cli/a.ts', text: `import '../../test/b.ts'`, leak: /may not import 'test\/b.ts'/ },
  'a sibling dialect': {
    file: 'src/dialects/a/x.ts',
    text: `import '../b/index.ts'`,
    leak: /dialect 'a' imports dialect 'b'/,
  },
  'a sibling dialect by the registry': {
    file: 'src/dialects/a/x.ts',
    text: `import '../registry.ts'`,
    leak: /dialect 'a' imports dialect 'c' by '..\/registry.ts'/,
  },
  'node: in a browser-safe room': {
    file: 'src/stream/a.ts',
    text: `import 'node:fs'`,
    leak: /'node:fs' in a browser-safe room/,
  },
  'a bare built-in': { file: 'src/index.ts', text: `import 'path'`, leak: /'path' in a browser-safe room/ },
  'a built-in fetched at run time': {
    file: 'src/base/a.ts',
    text: `x.getBuiltinModule('fs')`,
    leak: /'fs' in a browser-safe room/,
  },
  'a global of Node': { file: 'src/base/a.ts', text: `const a = process.env`, leak: /uses Node's 'process'/ },
  'a computed import': { file: 'src/model/a.ts', text: `const b = await import(name)`, leak: /computed name/ },
  'a package': { file: 'src/cli/a.ts', text: `import { z } from 'zod'`, leak: /the package 'zod'/ },
  'typebox away from the schemas': {
    file: 'src/dialects/a/decode.ts',
    text: `import 'typebox/value'`,
    leak: /the package 'typebox\/value'/,
  },
  'typebox, not erased': { file: 'src/model/a.ts', text: `import { type Static } from 'typebox'`, leak: /'typebox'/ },
  'an alias': { file: 'src/base/a.ts', text: `import '#cli'`, leak: /the package '#cli'/ },
  'contract only': { file: 'src/agents/a/b.ts', text: `import '../../supervise/retry.ts'`, leak: /may not import/ },
  'a lifted rule': {
    file: 'src/base/a.ts',
    text: `// oxlint-disable-next-line\nimport 'node:os' // @ts-ignore`,
    leak: /:2: imports 'node:os'/,
  },
  'a test': {
    file: 'src/dialects/a/x.test.ts',
    text: `import '../b/index.ts'`,
    leak: /dialect 'a' imports dialect 'b'/,
  },
  'no room': { file: 'src/utils/a.ts', text: ``, leak: /belongs to no room/ },
}
for (const [name, { file, text, leak }] of Object.entries(leaks)) {
  test(`the checker sees ${name}`, () => {
    const sources = new Map([
      [file, text],
      ['src/dialects/registry.ts', `export const load = () => import('./c/index.ts')`],
    ])
    const found = findLeaks(sources)
    assert.equal(found.length, 1, found.join('\n'))
    assert.match(found[0] ?? '', leak)
  })
}

test('the checker allows what the table allows, and text is not an import', () => {
  const sources = new Map([
    ['src/base/a.ts', `// import 'node:fs'\nexport const a = "import 'node:fs'" /* require('fs') */\nimport './b.ts'`],
    ['src/base/a.test.ts', `import 'node:test'; import 'fast-check'; import '../../test/suite.ts'`],
    ['src/dialects/a/wire.ts', `import Type from 'typebox'; import '../dialect.ts'; import '../../model/event.ts'`],
    ['src/model/schema-tool.ts', `import { Type } from 'typebox'`],
    ['src/model/event.ts', `import type { Static } from 'typebox'`],
    ['src/agents/a/b.ts', `import 'node:fs'; import '../../supervise/contract.ts'; await import(name)`],
    ['src/cli/a.ts', `import '../stream/b.ts'; process.exit(1)`],
    ['src/dialects/registry.ts', `import './a/index.ts'; import('./b/index.ts')`],
  ])
  assert.deepEqual(findLeaks(sources), [])
})
