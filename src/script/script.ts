// A script as the engine uses it: checked, defaults filled in, patterns compiled, durations in milliseconds.

export type Script = {
  /** `provider/name`. */
  model: string | undefined
  lanes: readonly Lane[]
}

export type Lane = {
  name: string
  matches(conversation: Conversation): boolean
  turns: readonly Turn[]
  repeat: boolean
}

/** What a request says of its conversation, whatever API it came by. */
export type Conversation = {
  /** All that the user said before the first answer: it stays the same however far the conversation goes. */
  prompt: string
  system: string
  model: string
  agent: string
  tools: boolean
  /** How many answers of the model it holds. */
  answers: number
}

export type Turn = {
  think: string | undefined
  text: string | undefined
  tools: readonly { name: string; input: Input; id: string | undefined }[]
  chunk: number | undefined
  delay: number
  usage: Usage
  finish: Finish
  error: (Failure & { times: number }) | undefined
  /** How often the connection is cut. */
  cuts: number
  malformed: boolean
}

export type Input = { [key: string]: unknown } | string
export type Finish = 'stop' | 'tool-calls' | 'length' | 'refusal'
/** Five numbers that do not overlap. */
export type Usage = { input: number; output: number; reasoning: number; cacheRead: number; cacheWrite: number }
/** `retryAfter` in milliseconds. */
export type Failure = { status: number; message: string; retryAfter: number | undefined }
