// A text that comes in deltas, and then whole. The surprise: a call of a subagent may stand between the deltas of one text, so that only the
// whole shows to which of them it belongs.

/** `before call`: deltas that a tool_call followed have no whole. */
export type Fault = 'missing' | 'before call' | 'another text'

export function createWhole() {
  let streamed = ''
  let atCall = 0 // how much of it stands before the last call

  function forget(): void {
    streamed = ''
    atCall = 0
  }

  /** What no whole has told at the end of the turn. */
  const left = (): Fault | undefined => (streamed === '' ? undefined : streamed.length > atCall ? 'missing' : 'before call')

  return {
    text: (): string => streamed,
    forget,
    left,
    add: (text: string): void => void (streamed += text),
    call: (): void => void (atCall = streamed.length),
    /** An empty whole takes its deltas back. */
    take(text: string): Fault | undefined {
      const all = streamed
      const late = streamed.slice(atCall)
      forget()
      if (all === '' || text === all || text === '') return undefined
      return text === late || late === '' ? 'before call' : 'another text'
    },
  }
}
