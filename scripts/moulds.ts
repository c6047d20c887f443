// Compiles wasm/moulds.ts to `src/base/moulds.gen.js`: the WebAssembly as base64 in a module, so that a bundle and a browser find it.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const pages = '49' // of 64 KiB, as wasm/moulds.ts lays them out
const flags = [
  '-O3',
  '--enable',
  'simd',
  '--runtime',
  'stub',
  '--noAssert',
  '--use',
  'abort=',
  '--initialMemory',
  pages,
  '--maximumMemory',
  pages,
]

export function generateMoulds(): void {
  const compiled = join(root, 'dist/moulds.wasm')
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/assemblyscript/bin/asc.js'), 'wasm/moulds.ts', '--outFile', compiled, ...flags],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  writeFileSync(join(root, 'src/base/moulds.gen.js'), `export const code = '${readFileSync(compiled, 'base64')}'\n`)
  rmSync(compiled)
  writeFileSync(join(root, 'src/base/moulds.gen.d.ts'), 'export declare const code: string\n')
}
