// A prompt as the stream tells it.
import type { Payload } from '../model/event.ts'
import type { Prompt } from './driver.ts'

/** `queued`: the agent has not got it. */
export const promptOf = ({ text, files = [], id, by = 'user' }: Prompt, state: 'sent' | 'queued' = 'sent'): Payload<'prompt.submit'> => ({
  text,
  by,
  state,
  ...(files.length > 0 && { content: files.map(({ path, mime, data }) => ({ type: 'file', path, mime, data })) }),
  ...(id !== undefined && { id }),
})
