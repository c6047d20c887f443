// A strict reader of the XML that reports are written in: no doctype, no comments, no processing but the declaration. Whatever is not well
// formed is an error.
import assert from 'node:assert/strict'

export type Element = { name: string; attributes: Record<string, string>; children: Element[]; text: string }

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const nameOf = '[A-Za-z_][\\w.-]*'
const token = new RegExp(`<(/?)(${nameOf})((?:\\s+${nameOf}="[^"<]*")*)\\s*(/?)>|[^<]+`, 'y')

export function parseXml(source: string): Element {
  assert.match(source, /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u, 'a character that XML does not have')
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
  assert.ok(source.startsWith(declaration), 'no declaration')
  const top: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [top]
  token.lastIndex = declaration.length
  while (token.lastIndex < source.length) {
    const at = token.lastIndex
    const match = token.exec(source) ?? assert.fail(`not well formed: ${source.slice(at, at + 80)}`)
    const [all, end, name, attributes = '', empty] = match
    const inner = open.at(-1)!
    if (name === undefined) inner.text += textOf(all)
    else if (end === '/') {
      assert.equal(attributes + empty!, '', all)
      assert.equal(open.pop()!.name, name, 'an end of another element')
      assert.ok(open.length > 0, all)
    } else {
      const element: Element = { name, attributes: attributesOf(attributes), children: [], text: '' }
      inner.children.push(element)
      if (empty !== '/') open.push(element)
    }
  }
  assert.equal(open.length, 1, `${open.at(-1)!.name} has no end`)
  assert.deepEqual([top.children.length, top.text.trim()], [1, ''], 'one element holds all')
  return top.children[0]!
}

function attributesOf(source: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [, name, value] of source.matchAll(new RegExp(`(${nameOf})="([^"]*)"`, 'g'))) {
    assert.ok(!Object.hasOwn(attributes, name!), `${name} stands twice`)
    attributes[name!] = textOf(value!)
  }
  return attributes
}

function textOf(source: string): string {
  assert.ok(!source.includes(']]>'), 'an end of CDATA in a text')
  return source.replace(/&(?:(\w+);)?/g, (whole, name: string | undefined) => named[name ?? ''] ?? assert.fail(`not an entity: ${whole}`))
}

export const allOf = (element: Element, name: string): Element[] => [
  ...(element.name === name ? [element] : []),
  ...element.children.flatMap((child) => allOf(child, name)),
]

/** The counts of every suite are those of its cases. Names are different within a suite, as GitLab needs it. */
export function parseJunit(source: string): { name: string; result: string; message: string; text: string }[] {
  const root = parseXml(source)
  assert.equal(root.name, 'testsuites')
  for (const suite of allOf(root, 'testsuite')) {
    const count = (name: string): number => allOf(suite, name).length
    const { tests, failures, errors, skipped } = suite.attributes
    assert.deepEqual([tests, failures, errors, skipped].map(Number), ['testcase', 'failure', 'error', 'skipped'].map(count))
    const names = suite.children.map((child) => `${child.attributes['classname']}/${child.attributes['name']}`)
    assert.equal(new Set(names).size, names.length, names.join('\n'))
  }
  return allOf(root, 'testcase').map(({ attributes, children: [result] }) => ({
    name: attributes['name']!,
    result: result?.name ?? 'passed',
    message: result?.attributes['message'] ?? '',
    text: result?.text ?? '',
  }))
}
