// From whatever a source tells about a failure to one category. First the source's own word, then the HTTP status, then the text.
import { type Rec, stringifyJson } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import type { Fault } from './event.ts'
import type { FaultCategory } from './vocabulary.ts'

type Hint = {
  category?: FaultCategory | undefined
  code?: string | undefined
  http?: number | undefined
  retryable?: boolean | undefined
}

/** The code of a failure after which nothing has begun. */
export const notStarted = 'not-started'

export function faultOf(text: string, hint: Hint = {}): Fault {
  const category = hint.category ?? (hint.http === undefined ? undefined : categoryOfStatus(hint.http)) ?? categoryOfText(text)
  return { category, text, code: hint.code, http: hint.http, retryable: hint.retryable }
}

/** Of a turn that has ended with this record, which says nothing that we know. */
export const unreadableEnd = (record: Rec): Fault =>
  faultOf(`the turn ended with an answer that cannot be read: ${quoted(stringifyJson(record), 200)}`, {
    category: 'unknown',
    code: 'unreadable-end',
  })

export function categoryOfStatus(status: number): FaultCategory | undefined {
  switch (status) {
    case 401:
    case 403:
      return 'auth'
    case 402:
      return 'billing'
    case 408:
    case 504:
      return 'timeout'
    case 413:
      return 'context'
    case 429:
      return 'rate_limit'
    case 503:
    case 529:
      return 'overloaded'
    default:
      return status >= 500 && status < 600 ? 'provider' : status >= 400 && status < 500 ? 'invalid' : undefined
  }
}

function categoryOfText(text: string): FaultCategory {
  const head = text.slice(0, 2000).toLowerCase()
  if (head.includes('heap out of memory') || head.includes('enomem')) return 'oom'
  if (head.includes('econnreset') || head.includes('econnrefused') || head.includes('connection error')) return 'network'
  if (head.includes('timed out') || head.includes('timeout')) return 'timeout'
  return 'unknown'
}

/** A status or code that a source may give as number or text. */
export const codeText = (code: unknown): string | undefined =>
  typeof code === 'string' && code !== '' ? code : typeof code === 'number' ? String(code) : undefined
