// Compiles wasm/pick.ts to `src/cli/usage-pick.gen.js`: the WebAssembly as base64 in a module, so that a bundle holds it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const pages = '6' // of 64 KiB, as src/cli/usage-pick.ts uses them
const flags = ['-O3', '--enable', 'simd', '--runtime', 'stub', '--noAssert', '--use', 'abort=']

export function generatePick(): void {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-wasm-'))
  const compiled = join(folder, 'pick.wasm')
  const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js')
  execFileSync(
    process.execPath,
    [compiler, 'wasm/pick.ts', '--outFile', compiled, ...flags, '--initialMemory', pages, '--maximumMemory', pages],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  writeFileSync(join(root, 'src/cli/usage-pick.gen.js'), `export const code = '${readFileSync(compiled, 'base64')}'\n`)
  writeFileSync(join(root, 'src/cli/usage-pick.gen.d.ts'), 'export declare const code: string\n')
  rmSync(folder, { recursive: true })
}
