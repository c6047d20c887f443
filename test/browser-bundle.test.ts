// The library in a browser: src/index.ts as one script without a single import, run where only web globals exist.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { isWritable } from '../src/dialects/contract.ts'
import * as node from '../src/index.ts'

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'sluice-browser-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

interface Bundle {
  readonly code: string
  /** What a browser could not load: everything that is still imported. */
  readonly imports: readonly string[]
  readonly packages: readonly string[]
}

async function bundleForBrowser(input: string): Promise<Bundle> {
  // What cannot be resolved becomes an import that stays, with a warning; a file of ours that is missing is an error.
  await using bundle = await rolldown({ input, platform: 'browser', onLog: () => {} })
  const { output } = await bundle.generate({ format: 'iife', name: 'sluice', codeSplitting: false })
  const chunks = output.filter((file) => file.type === 'chunk')
  assert.equal(output.length, 1, `one script, not ${output.map(({ fileName }) => fileName).join(', ')}`)
  return {
    code: chunks[0]!.code,
    imports: chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]),
    packages: chunks.flatMap((chunk) => chunk.moduleIds).filter((id) => id.includes('node_modules')),
  }
}

const webGlobals = [
  ...(['TextDecoder', 'TextEncoder', 'URL', 'AbortController', 'AbortSignal', 'console', 'crypto', 'performance'] as const),
  ...(['structuredClone', 'queueMicrotask', 'setTimeout', 'clearTimeout'] as const),
]

/** Runs the script as a page with a strict content policy would: web globals only, and no code from strings. */
function runAsPage(code: string): { sluice: typeof node; Uint8Array: typeof Uint8Array } {
  const page = Object.fromEntries(webGlobals.map((name) => [name, globalThis[name]]))
  const context = createContext(page, { codeGeneration: { strings: false, wasm: false } })
  for (const name of ['process', 'Buffer', 'require', 'module', 'global'])
    assert.equal(runInContext(`typeof ${name}`, context), 'undefined')
  return runInContext(`${code}\n;({ sluice, Uint8Array })`, context)
}

let bundled: Promise<Bundle> | undefined
const library = (): Promise<Bundle> => (bundled ??= bundleForBrowser(join(root, 'src/index.ts')))

test('the bundle imports nothing, neither of Node nor a package', async () => {
  const { imports, packages, code } = await library()
  assert.deepEqual(imports, [])
  assert.deepEqual(packages, [])
  assert.doesNotMatch(code, /["'`]node:/)
})

const stream = [
  { kind: 'user_prompt', text: 'list widgets – größer als 5 €, bitte 🙂' },
  { kind: 'assistant_delta', text: 'Looking ' },
  { kind: 'assistant_message', text: 'Looking …' },
  { kind: 'tool_call', id: 'call_1', name: 'list_widgets', arguments: { limit: 10, big: 1e300 } },
  { kind: 'tool_result', id: 'call_1', result: { items: ['ä', '\u2028'] }, status: 'ok', duration_ms: 120 },
  { kind: 'assistant_message', text: 'One widget.' },
  { kind: 'done' },
]

test('the bundle converts, reads and checks a stream exactly as it does in Node', async () => {
  const page = runAsPage((await library()).code)
  assert.deepEqual(Object.keys(page.sluice).toSorted(), Object.keys(node).toSorted())
  const text = stream.map((record) => `${JSON.stringify(record)}\n`).join('')
  // Pieces of 7 bytes cut characters in two. They must be made of the page's own Uint8Array.
  const pieces = (bytes: typeof Uint8Array): Uint8Array[] => {
    const whole = bytes.from(new TextEncoder().encode(text))
    return Array.from({ length: Math.ceil(whole.length / 7) }, (_, index) => whole.subarray(index * 7, index * 7 + 7))
  }
  const use = ({ convert, detect, read, validate, dialects }: typeof node, input: Uint8Array[]): string[] => {
    const targets = Object.values(dialects).filter(isWritable)
    const converted = targets.map(({ name }) => convert(input, { to: name as keyof typeof dialects }))
    return [...converted, detect(input), read(input), validate(input)].map((result) => JSON.stringify(result))
  }
  assert.equal(node.detect(text).dialect, 'appctl')
  assert.equal(node.convert(text, { to: 'appctl' }).text, text)
  assert.match(node.convert(text, { to: 'sluice' }).text, /list_widgets/)
  assert.deepEqual(use(page.sluice, pieces(page.Uint8Array)), use(node, pieces(Uint8Array)))
})

test('the check itself can fail', async () => {
  const entry = join(scratch, 'entry.ts')
  writeFileSync(entry, `import 'node:fs'\nimport path from 'path'\nimport 'no-package'\nexport const a = [path, () => import('node:os')]`)
  const leaky = await bundleForBrowser(entry)
  assert.deepEqual(leaky.imports, ['node:fs', 'path', 'no-package', 'node:os'])
  assert.throws(() => runAsPage('var sluice = Buffer.from("a")'), /Buffer is not defined/)
  assert.throws(() => runAsPage('var sluice = new Function("return 1")()'), /Code generation from strings/)
})
