// Retries of Gemini CLI, which it tells on stderr alone: at once in its own stream, but over the protocol not before it leaves.
import { faultOf } from '../../model/fault.ts'
import type { StderrEvent } from '../driver.ts'

export function readGeminiStderr(line: string): StderrEvent | undefined {
  const [, attempt, why = '', delay] = /^Attempt (\d{1,6}) failed(.*?)\. Retrying (?:with backoff|after (\d{1,9})ms)/.exec(line) ?? []
  if (attempt === undefined) return undefined
  const http = /\b([45]\d\d)\b/.exec(why)?.[1] ?? /"code":([45]\d\d)\b/.exec(line)?.[1]
  const text = /"message":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? (why.replace(/^[:\s]+/, '') || 'the request failed')
  return {
    kind: 'retry.start',
    payload: {
      scope: 'model',
      attempt: Number(attempt),
      ...(delay !== undefined && { delayMs: Number(delay) }),
      error: faultOf(text, { http: http === undefined ? undefined : Number(http) }),
    },
  }
}

/** What was long ago is no retry that runs. */
export function readLateStderr(line: string): StderrEvent | undefined {
  const told = readGeminiStderr(line)
  if (told?.kind !== 'retry.start') return undefined
  const { attempt, error } = told.payload
  const text = `Gemini CLI had tried again after attempt ${attempt} failed: ${error?.text}`
  return { kind: 'notice', payload: { level: 'warn', code: 'retried', text, data: told.payload } }
}
