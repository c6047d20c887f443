// docs/terminal.svg, the picture in the README: a real run of `sluice` with a scripted model in a small project, as its terminal showed it.
//   node scripts/picture.ts            makes it anew
//   node scripts/picture.ts --check    fails when sluice prints something else now (numbers and ids aside)
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const picture = join(root, 'docs/terminal.svg')
const columns = 88

const files: Record<string, string> = {
  'package.json': '{ "name": "greeting", "type": "module", "scripts": { "test": "node --test > /dev/null && echo all tests pass" } }\n',
  'src/greeting.js': 'export function greeting(name) {\n  return `Hello, ${name}!`\n}\n',
  'test/greeting.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { greeting } from '../src/greeting.js'
test('greets somebody without a name', () => assert.equal(greeting(''), 'Hello!'))
`,
  'mend.yaml': `model: anthropic/claude-sonnet-4-5
turns:
  - text: I look at the function.
    tools: [{ name: read, input: { filePath: src/greeting.js } }]
    usage: { input: 1200, output: 40 }
  - text: An empty name is not handled.
    tools:
      - name: edit
        input:
          filePath: src/greeting.js
          oldString: 'return \`Hello, \${name}!\`'
          newString: "return name === '' ? 'Hello!' : \`Hello, \${name}!\`"
    usage: { input: 1400, output: 90 }
  - tools: [{ name: bash, input: { command: npm test --silent } }]
    usage: { input: 1600, output: 30 }
  - text: The test passes. Now I publish the fix.
    tools: [{ name: bash, input: { command: npm publish } }]
    usage: { input: 1700, output: 40 }
  - text: The fix is in, and the test passes. I did not publish, since I was not allowed to.
    usage: { input: 1800, output: 40 }
`,
}

const commands = [
  `sluice run 'the test fails: mend it' --model script/mend.yaml --max-cost 0.50 \\
    --permission edit=allow --permission 'bash:npm test *=allow' \\
    --on-event sluice:run.ndjson`,
  'sluice digest run.ndjson',
]

/** All that a terminal shows, with its colours as escape sequences. */
function recorded(): string {
  const folder = mkdtempSync('/tmp/sluice-picture-') // a longer path would break lines elsewhere
  const project = join(folder, 'greeting')
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project, name)), { recursive: true })
      writeFileSync(join(project, name), text)
    }
    const path = [join(root, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter)
    const env = { PATH: path, HOME: folder, FORCE_COLOR: '1', COLUMNS: String(columns) }
    return commands
      .map((command) => {
        const shown = command.split('\n').map((line) => `\u001b[1m${line}\u001b[22m\n`)
        const { stdout } = spawnSync('/bin/sh', ['-c', `${command} 2>&1`], { cwd: project, env, encoding: 'utf8' })
        return `\u001b[32m$\u001b[39m ${shown.join('')}${stdout.replaceAll(project, '~/greeting')}\n`
      })
      .join('')
      .trimEnd()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// ── the picture ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const cell = { width: 8.43, height: 19 }
const margin = 18
const colours: Record<string, string> = { 31: '#f47067', 32: '#8ddb8c', 33: '#e0b85c', 34: '#6cb6ff', 35: '#dcbdfb', 36: '#76d9e6' }

type Style = { colour?: string; bold?: true | undefined; dim?: true | undefined }

function changed(style: Style, codes: string): Style {
  const next = { ...style }
  for (const code of codes.split(';')) {
    if (code === '0' || code === '') return {}
    if (code === '1') next.bold = true
    else if (code === '2') next.dim = true
    else if (code === '22') next.bold = next.dim = undefined
    else if (code === '39') delete next.colour
    else if (colours[code] !== undefined) next.colour = colours[code]
  }
  return next
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Each run of one style stands at its own place: fonts differ in their width. */
function lineOf(line: string, row: number): string {
  const y = margin + 22 + (row + 1) * cell.height
  let style: Style = {}
  let column = 0
  const spans = line.split(/(\u001b\[[\d;]*m)/).map((part) => {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1]
    if (codes !== undefined) {
      style = changed(style, codes)
      return ''
    }
    const { colour, bold, dim } = style
    const looks = `${colour === undefined ? '' : ` fill="${colour}"`}${bold ? ' font-weight="600"' : ''}${dim ? ' opacity=".62"' : ''}`
    // Blanks in a row would be drawn as one.
    return part.split(/( {2,}|^ | $)/).map((words) => {
      const x = (margin + column * cell.width).toFixed(1)
      const width = Array.from(words).length
      column += width
      if (words.trim() === '') return ''
      return `<tspan x="${x}" textLength="${(width * cell.width).toFixed(1)}"${looks}>${escaped(words)}</tspan>`
    })
  })
  return `<text y="${y}">${spans.flat().join('')}</text>`
}

/** Only plain lines are longer than the terminal is wide. */
function folded(line: string): string[] {
  if (line.includes('\u001b') || line.length <= columns) return [line]
  const at = line.lastIndexOf(' ', columns)
  return [line.slice(0, at), ...folded(line.slice(at + 1))]
}

function svgOf(text: string): string {
  const lines = text.split('\n').flatMap(folded)
  const width = Math.ceil(2 * margin + columns * cell.width)
  const height = Math.ceil(2 * margin + 26 + lines.length * cell.height)
  const dots = ['#f47067', '#e0b85c', '#8ddb8c'].map(
    (colour, index) => `<circle cx="${margin + 6 + index * 18}" cy="20" r="5.5" fill="${colour}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal: sluice runs an agent, refuses what no rule allows, and sums the session up">
<rect width="100%" height="100%" rx="10" fill="#1c2128"/>
${dots.join('')}
<g fill="#d0d7de" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
${lines
  .map(lineOf)
  .filter((line) => line.includes('tspan'))
  .join('\n')}
</g>
</svg>
`
}

/** The words alone: times and ids differ from run to run, and with them the order of the table and where lines are folded. */
const lasting = (svg: string): string =>
  svg
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/(ses|run)_\w{21}/g, '$1_')
    .replaceAll(/\d+-\d+-\d+ \d+:\d+/g, 'DATE')
    .replaceAll(/[\d.,]+ m?s\b/g, 'TIME')
    .split(/\s+/)
    .sort()
    .join(' ')

const made = svgOf(recorded())
if (!process.argv.includes('--check')) writeFileSync(picture, made)
else if (lasting(made) !== lasting(readFileSync(picture, 'utf8'))) {
  console.error('docs/terminal.svg shows something else than sluice prints now; make it anew with: node scripts/picture.ts')
  process.exitCode = 1
}
