// Fetches a page and gives it to the model as markdown, text or as it is; pictures as pictures.
import { hostOf, parseAddress, type Resolve, resolveName } from './address.ts'
import { bounded, optionalNumber, optionalText, textField } from './fields.ts'
import { fetchPage, type Fetched } from './fetch.ts'
import { isBinary } from './files.ts'
import { toMarkdown, toText } from './html.ts'
import { cutData, keepText } from './output.ts'
import { type Tool, type ToolContext, ToolError, type ToolResult } from './tool.ts'

const defaultSeconds = 30
const longestSeconds = 120
const limits = { characters: 50_000, lines: 2000 }
const formats = ['text', 'markdown', 'html']

export const createWebfetchTool = (resolve: Resolve): Tool => ({
  name: 'webfetch',
  description:
    'Fetches an http or https address and returns it as markdown, text or html; pictures are shown. Addresses of this machine and of private ' +
    `networks are refused. At most 5 MB; timeout is in seconds (${defaultSeconds} unless given).`,
  parameters: {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'The address' },
      format: { type: 'string', enum: formats, description: 'What a page is turned into; markdown unless given' },
      timeout: { type: 'number', minimum: 1, description: `Seconds to wait, at most ${longestSeconds}` },
    },
    required: ['url'],
    additionalProperties: false,
  },
  kind: 'fetch',
  source: 'builtin',
  changes: false,
  plan(input, context) {
    const url = parseAddress(textField(input, 'url'))
    const format = optionalText(input, 'format') ?? 'markdown'
    const seconds = bounded(optionalNumber(input, 'timeout') ?? defaultSeconds, 1, longestSeconds)
    return {
      title: url.href,
      ask: { permission: 'webfetch', patterns: [url.href], always: [`${url.origin}/*`] },
      async run({ signal }) {
        const page = await fetchWithin(url, seconds, signal, context, resolve)
        return resultOf(page, format, context)
      },
    }
  },
})

export const webfetchTool = createWebfetchTool(resolveName)

async function fetchWithin(url: URL, seconds: number, signal: AbortSignal, context: ToolContext, resolve: Resolve): Promise<Fetched> {
  const late = AbortSignal.timeout(seconds * 1000)
  try {
    return await fetchPage(url, { signal: AbortSignal.any([signal, late]), isNamed: (at) => context.allowedHosts(at), resolve })
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) throw new ToolError(`${url.href} did not answer within ${seconds} s`, { cause: error })
    if (error instanceof ToolError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new ToolError(`${hostOf(url)} could not be fetched from: ${message === '' ? (code ?? 'no connection') : message}`, {
      cause: error,
    })
  }
}

async function resultOf({ url, status, type, bytes }: Fetched, format: string, context: ToolContext): Promise<ToolResult> {
  const mime = type.split(';')[0]!.trim().toLowerCase()
  const data = { url: url.href, status, mime, bytes: bytes.length }
  const failed = status >= 400 ? { failed: true } : {}
  if (/^image\/(png|jpeg|gif|webp)$/.test(mime)) {
    const media = [{ mime, data: bytes.toString('base64') }]
    return { text: `[${mime}, ${bytes.length} bytes]`, media, data: { ...data, truncated: false }, ...failed }
  }
  if (!isText(mime, bytes)) throw new ToolError(`${url.href} is "${mime}", which cannot be shown; fetch it with a command if you need it`)
  const source = decode(bytes, type)
  const isPage = mime === 'text/html' || mime === 'application/xhtml+xml'
  const whole = !isPage || format === 'html' ? source : format === 'text' ? toText(source) : await toMarkdown(source)
  const kept = keepText(whole, context, limits)
  const note = status === 200 ? '' : `[status ${status}]\n`
  return { text: `${note}${kept.text}`, data: { ...data, ...cutData(kept) }, ...failed }
}

const isText = (mime: string, bytes: Buffer): boolean =>
  mime === ''
    ? !isBinary(bytes)
    : /^(text\/.+|application\/(json|xml|javascript|x-ndjson|yaml|.+\+(json|xml)))$|^image\/svg\+xml$/.test(mime)

function decode(bytes: Buffer, type: string): string {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString() // a name that nobody knows
  }
}
