// Compiles what is in wasm/, each to a module beside its other half: WebAssembly as base64, so that a bundle and a browser find it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js')
const flags = ['-O3', '--enable', 'simd', '--runtime', 'stub', '--noAssert', '--use', 'abort=']

/** `pages`: the memory, of 64 KiB each, as the other half lays it out. */
const parts = [
  { source: 'wasm/moulds.ts', module: 'src/base/moulds.gen', pages: '60' },
  { source: 'wasm/escape.ts', module: 'src/cli/escape.gen', pages: '40' },
  { source: 'wasm/pick.ts', module: 'src/cli/usage-pick.gen', pages: '6' },
]

export function generateWasm(): void {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-wasm-'))
  const compiled = join(folder, 'code.wasm')
  for (const { source, module, pages } of parts) {
    execFileSync(
      process.execPath,
      [compiler, source, '--outFile', compiled, ...flags, '--initialMemory', pages, '--maximumMemory', pages],
      {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    )
    writeFileSync(join(root, `${module}.js`), `export const code = '${readFileSync(compiled, 'base64')}'\n`)
    writeFileSync(join(root, `${module}.d.ts`), 'export declare const code: string\n')
  }
  rmSync(folder, { recursive: true })
}
