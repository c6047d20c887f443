// An agent that takes one prompt on its input and says nothing more until it is done: no questions can be answered, and a signal is the
// only way to stop it.
import type { Prompt, Talk, Wire } from './driver.ts'

export function headlessTalk(wire: Wire): Talk {
  let given: Prompt | undefined
  let isDone = false
  return {
    prompt(prompt) {
      given = prompt // the only one, for the input is closed after it
      wire.text(prompt.text)
      wire.close()
    },
    answer() {},
    interrupt: () => wire.signal('SIGINT'),
    onEvent(event) {
      if (event.kind === 'turn.start' && event.trigger !== 'task' && !isDone) wire.show(given!)
      if (event.kind === 'turn.end') isDone = true
    },
    isIdle: () => given === undefined || isDone,
  }
}
