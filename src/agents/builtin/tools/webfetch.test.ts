import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { after } from 'node:test'
import { gzipSync } from 'node:zlib'
import { addressesOf, isPublic } from './address.ts'
import { toMarkdown, toText } from './html.ts'
import { createProject } from './support.test.ts'
import { createWebfetchTool } from './webfetch.ts'

const routes: Record<string, RequestListener> = {
  '/page': (_request, response) =>
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end('<head><title>t</title></head><h1>Hello</h1><script>bad()</script><p>a <b>b</b> <a href="/x">link</a></p>'),
  '/json': (_request, response) => response.setHeader('content-type', 'application/json').end('{"a":1}'),
  '/long': (_request, response) => response.setHeader('content-type', 'text/plain').end('x'.repeat(200_000)),
  '/huge': (_request, response) => response.setHeader('content-type', 'text/plain').end(Buffer.alloc(6_000_000, 120)),
  '/bomb': (_request, response) =>
    response
      .setHeader('content-type', 'text/plain')
      .setHeader('content-encoding', 'gzip')
      .end(gzipSync(Buffer.alloc(50_000_000))),
  '/packed': (_request, response) =>
    response.setHeader('content-type', 'text/plain').setHeader('content-encoding', 'gzip').end(gzipSync('unpacked')),
  '/odd': (_request, response) => response.setHeader('content-type', 'text/plain').setHeader('content-encoding', 'zzz').end('x'),
  '/broken': (_request, response) =>
    response.setHeader('content-type', 'text/plain').setHeader('content-encoding', 'gzip').end('this is not packed'),
  '/picture': (_request, response) => response.setHeader('content-type', 'image/png').end('png'),
  '/program': (_request, response) => response.setHeader('content-type', 'application/octet-stream').end('x'),
  '/latin': (_request, response) => response.setHeader('content-type', 'text/plain; charset=iso-8859-1').end(Buffer.from([0xe9])),
  '/missing': (_request, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page'),
  '/slow': () => {},
  '/inner': (_request, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/json` }).end(),
  '/here': (_request, response) => response.writeHead(302, { location: '/json' }).end(),
  '/round': (_request, response) => response.writeHead(302, { location: '/round' }).end(),
  '/file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
}
const requests: string[] = []
const server = createServer((request, response) => {
  requests.push(request.url ?? '')
  routes[request.url ?? '']?.(request, response)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
after(() => {
  server.closeAllConnections()
  server.close()
})

// "named.test" is the host that a rule names; all names lead to the server.
const tool = createWebfetchTool(async () => [{ address: '127.0.0.1', family: 4 }])
const { call, plan } = await createProject({ allowedHosts: ({ hostname }) => hostname === 'named.test' })
const fetchOf = (path: string, more = {}, signal?: AbortSignal): ReturnType<typeof call> =>
  call(tool, { url: `http://named.test:${port}${path}`, ...more }, signal)

test('a page comes as markdown, text or as it is', async () => {
  const { text, data, plan: made } = await fetchOf('/page')
  assert.equal(text.trim(), '# Hello\n\na **b** [link](/x)')
  assert.deepEqual(data, { url: `http://named.test:${port}/page`, status: 200, mime: 'text/html', bytes: 104, truncated: false })
  const { permission, patterns } = made.ask!
  assert.deepEqual([permission, patterns], ['webfetch', [`http://named.test:${port}/page`]])
  assert.equal((await fetchOf('/page', { format: 'text' })).text, 'Hello\n\na b link')
  assert.match((await fetchOf('/page', { format: 'html' })).text, /^<head>/)
})

test('what is text is shown, pictures are pictures, the rest is refused', async () => {
  assert.equal((await fetchOf('/json')).text, '{"a":1}')
  assert.equal((await fetchOf('/packed')).text, 'unpacked')
  assert.equal((await fetchOf('/latin')).text, 'é')
  assert.deepEqual((await fetchOf('/picture')).media, [{ mime: 'image/png', data: Buffer.from('png').toString('base64') }])
  await assert.rejects(fetchOf('/program'), /"application\/octet-stream", which cannot be shown/)
  await assert.rejects(fetchOf('/odd'), /packed as "zzz"/)
  await assert.rejects(fetchOf('/broken'), /could not be fetched/)
})

test('long answers are cut and kept; too long ones and bombs are refused', async () => {
  const { text, data } = await fetchOf('/long')
  assert.ok(text.length < 51_000)
  assert.equal(readFileSync(String(data?.['outputPath']), 'utf8').length, 200_000)
  await assert.rejects(fetchOf('/huge'), /more than 5 MB/)
  await assert.rejects(fetchOf('/bomb'), /more than 5 MB/)
})

test('a status of failure is told with what came', async () => {
  const { text, failed, data } = await fetchOf('/missing')
  assert.deepEqual([text, failed, data?.['status']], ['[status 404]\nno such page', true, 404])
})

test('a server that does not answer, and a cancelled call', async () => {
  await assert.rejects(fetchOf('/slow', { timeout: 1 }), /did not answer within 1 s/)
  await assert.rejects(fetchOf('/slow', {}, AbortSignal.timeout(50)), { name: 'TimeoutError' })
})

test('redirects are followed, looked at anew, and end', async () => {
  assert.equal((await fetchOf('/here')).data?.['url'], `http://named.test:${port}/json`)
  requests.length = 0
  await assert.rejects(fetchOf('/inner'), /redirects to another host \(http:\/\/127\.0\.0\.1/)
  assert.deepEqual(requests, ['/inner'])
  await assert.rejects(fetchOf('/round'), /more than 5 redirects/)
  await assert.rejects(fetchOf('/file'), /neither http nor https/)
})

test('addresses of this machine and of private networks are refused, however they are written', async () => {
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '0',
    '１２７.0.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001:0:1::1]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '224.0.0.1',
    '255.255.255.255',
    '0.0.0.0',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'metadata.google.internal',
    'printer.local',
    'somewhere.example', // leads to 127.0.0.1
  ]
  requests.length = 0
  for (const host of hosts)
    await assert.rejects(call(tool, { url: `http://${host}:${port}/json` }), /not a public address|private network/, host)
  assert.deepEqual(requests, [])
})

test('one inner address among public ones is enough to refuse a name, and public ones pass', async () => {
  const both = [
    { address: '93.184.216.34', family: 4 },
    { address: '::ffff:10.0.0.1', family: 6 },
  ]
  await assert.rejects(
    addressesOf('mixed.example', false, async () => both),
    /leads to ::ffff:10.0.0.1/,
  )
  await assert.rejects(
    addressesOf('none.example', false, async () => []),
    /has no address/,
  )
  assert.deepEqual(await addressesOf('good.example', false, async () => both.slice(0, 1)), both.slice(0, 1))
  assert.equal(await isPublic('2606:4700:4700::1111'), true)
  assert.equal(await isPublic('fe80::1%eth0'), false)
})

test('what is no web address is refused', async () => {
  for (const url of ['file:///etc/passwd', 'ftp://x/', 'javascript:1', 'data:text/plain,x'])
    await assert.rejects(plan(tool, { url }), /neither http nor https/, url)
  await assert.rejects(plan(tool, { url: 'http://user:pw@named.test/' }), /user name or password/)
  await assert.rejects(plan(tool, { url: 'not an address' }), /is not an address/)
})

test('hostile pages cost little and break nothing', async () => {
  const deep = `${'<div>'.repeat(100_000)}deep${'</div>'.repeat(100_000)}`
  for (const html of [deep, '<!--'.repeat(200_000), '<script>'.repeat(100_000)]) {
    const begun = performance.now()
    const text = await toMarkdown(html)
    assert.ok(performance.now() - begun < 5000, html.slice(0, 10))
    if (html === deep) assert.equal(text, 'deep')
  }
})

test('plain text of a page keeps what is read and drops the rest', () => {
  const html = '<!-- no --><p>1 < 2 &amp;&#x20AC;&#55357; &unknown;</p><STYLE>p{}</STYLE><ul><li>a<li>b</ul>end<!-- open'
  assert.equal(toText(html), '1 < 2 &€&#55357; &unknown;\n\n- a\n- b\nend')
})
