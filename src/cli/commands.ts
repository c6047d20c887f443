// The commands, each loaded alone: starting costs no more than what is used.
import type { CommandSpec } from './options.ts'

/** A command: what it does with its words, and its options. One with actions has the options of each instead. */
export type Command = {
  run(argv: readonly string[]): Promise<number>
  spec?: CommandSpec
  actions?: Readonly<Record<string, () => Promise<Command>>>
}

export const commands: Readonly<Record<string, [about: string, load: () => Promise<Command>]>> = {
  run: ['give a prompt to an agent, and see what it does', () => import('./run.ts')],
  chat: ['talk to the built-in agent in the terminal', () => import('./chat.ts')],
  agents: ['list the agents that can be run, and what each can do', () => import('./agents.ts')],
  control: ['look at a run, answer its questions, give it new instructions', () => import('./control.ts')],
  answer: ['answer a question that a run has asked by file', () => import('./answer.ts')],
  emit: ['add your own event to the current run', () => import('./emit.ts')],
  demo: ['watch the built-in agent fix a small project, without a key', () => import('./demo.ts')],
  convert: ['translate a stream into another dialect', () => import('./convert.ts')],
  validate: ['check the records and order of a stream, and repair it', () => import('./validate.ts')],
  detect: ['find out which dialect a stream is in', () => import('./detect.ts')],
  schema: ['print the JSON Schema of the events or of a dialect', () => import('./schema.ts')],
  watch: ['show what happens in a stream, live', () => import('./watch.ts')],
  digest: ['summarize a session: what was done, what failed, what it cost', () => import('./digest.ts')],
  show: ['read a recorded session in the terminal', () => import('./show.ts')],
  usage: ['count tokens and cost over all logs on this machine', () => import('./usage.ts')],
  models: ['look up prices and context limits of models', () => import('./models.ts')],
  model: ['serve a model from a script, so that agents run offline', () => import('./model.ts')],
  tools: ['list the tools an agent would have here, and what the rules say', () => import('./tools.ts')],
  doctor: ['check what this machine and project have, and what is missing', () => import('./doctor.ts')],
  claude: ['run the built-in agent with the command line of Claude Code', () => import('./claude.ts')],
  trust: ["trust a project's own settings", () => import('./trust.ts')],
  skills: ['list the skills an agent would have here', () => import('./skills.ts')],
  completion: ['print a completion script for bash, zsh or fish', () => import('./completion.ts')],
  tour: ['see detect, validate and convert on a recorded session', () => import('./tour.ts')],
}
