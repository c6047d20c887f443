// The prompts of a session as the stream reports them: each of them once, when the agent has it, or that it never got it.
import { quoted } from '../base/text.ts'
import type { Prompt } from './driver.ts'
import { promptOf } from './prompt.ts'
import type { SessionView } from './session-view.ts'

type PromptParts = {
  title: string
  view: SessionView
  /** Those that wait with the driver: the agent has not got them. */
  unsent(): readonly Prompt[]
}

export function createPrompts({ title, view, unsent }: PromptParts) {
  const early: Prompt[] = [] // from before the session began
  const late: Prompt[] = [] // its input is closed, and the session has not begun
  const shown = new WeakSet<Prompt>()
  let given: readonly Prompt[] = [] // the early ones that it gets as soon as it runs, where it did not begin the session itself
  let isTakenBack = false

  function show(prompt: Prompt, state: 'sent' | 'queued' = 'sent'): void {
    if (!shown.has(prompt)) view.tell('prompt.submit', promptOf(prompt, state))
    shown.add(prompt)
  }

  function drop(prompt: Prompt): void {
    isTakenBack = true
    show(prompt, 'queued')
    view.tell('notice', { level: 'warn', code: 'dropped', text: `${title} never got this prompt: ${quoted(prompt.text)}` })
  }

  return {
    show,
    drop,
    /** True: the driver may say it. */
    take(prompt: Prompt, isClosed: boolean): boolean {
      if (isClosed && view.isStarted()) drop(prompt)
      else if (isClosed) late.push(prompt)
      else if (!view.isStarted()) early.push(prompt)
      return !isClosed
    },
    /** We have begun the session. `isRunning`: the program; else nobody knows yet whether it will. */
    begin(isRunning: boolean): void {
      given = early.filter((prompt) => !unsent().includes(prompt))
      if (isRunning) for (const prompt of given) show(prompt)
    },
    end(hasRun: boolean): void {
      for (const prompt of given) show(prompt, hasRun ? 'sent' : 'queued')
      for (const prompt of [...late, ...unsent()]) drop(prompt)
    },
    /** One was taken back before the agent got it. */
    isTakenBack: (): boolean => isTakenBack,
  }
}
