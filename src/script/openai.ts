// What the two APIs of OpenAI share: both count what came from or went to the cache as input, and thoughts as output.
import type { Rec } from '../base/json.ts'
import type { Failure, Usage } from './script.ts'

export const inputOf = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite
export const outputOf = ({ output, reasoning }: Usage): number => output + reasoning
export const cachedIn = ({ cacheRead, cacheWrite }: Usage): Rec => ({ cached_tokens: cacheRead, cache_write_tokens: cacheWrite })

const errors: Record<number, [type: string, code: string | null]> = {
  401: ['invalid_request_error', 'invalid_api_key'],
  403: ['invalid_request_error', 'permission_denied'],
  404: ['invalid_request_error', 'not_found'],
  429: ['requests', 'rate_limit_exceeded'],
}

export function failure({ status, message }: Failure): Rec {
  const [type, code] = errors[status] ?? (status < 500 ? ['invalid_request_error', null] : ['server_error', 'server_error'])
  return { error: { message, type, param: null, code } }
}
