// Which options of a run are for which agents. One that would do nothing is wrong usage: who asks for a mode, a gate or a rule must not
// believe in it where there is none.
import { kinds } from '../agents/find.ts'
import { unenforced } from '../agents/guard.ts'
import { programOf } from '../agents/program.ts'
import { quoted } from '../base/text.ts'
import { usageError } from './exit.ts'
import { listOption, type Parsed, textOption } from './options.ts'

const names = kinds.map(({ name }) => name)
const others = names.filter((name) => name !== 'builtin' && name !== 'replay')

/** All that is not here is for every agent. */
const agentsOf: Readonly<Record<string, readonly string[]>> = {
  'agent-mode': others,
  'one-way': others.filter((name) => name !== 'acp'),
  'replay-speed': ['replay'],
  'api-retries': ['builtin'],
  'no-stream': ['builtin', 'claude'],
}

const notReplayed = ['model', 'continue', 'resume', 'fork']
/** Neither with a recording nor without a way back: it gets no file, and what it asks cannot be answered. */
const notOneWay = [
  'file',
  'permission',
  'auto-approve',
  'confirm',
  'read-only',
  'dry-run',
  'strict',
  'permission-timeout',
  'permission-handler',
]

/** An agent that is not known is told of by whoever looks for it. */
export function checkFit(values: Parsed['values'], agent: string): void {
  const kind = /^(acp|replay):/.exec(agent)?.[1] ?? agent
  if (!names.includes(kind)) return
  const given = (option: string): boolean => values[option] !== undefined && values[option] !== false
  for (const [option, agents] of Object.entries(agentsOf))
    if (given(option) && !agents.includes(kind))
      throw usageError(`--${option} does nothing for the agent ${quoted(kind)}: it is for ${agents.join(', ')}`)
  const isReplay = kind === 'replay'
  const useless = [...(isReplay ? notReplayed : []), ...(isReplay || given('one-way') ? notOneWay : [])].find(given)
  if (useless === undefined) return checkGates(values, agent, given)
  const why = isReplay ? 'a recording calls no model, asks nothing and takes nothing' : 'there the agent gets one text, and nobody is asked'
  throw usageError(`--${useless} does nothing with ${isReplay ? '--agent replay' : '--one-way'}: ${why}`)
}

/** A gate or a deny rule needs an agent that asks, or that has a sandbox. */
function checkGates(values: Parsed['values'], agent: string, given: (option: string) => boolean): void {
  const denied = listOption(values, 'permission').find((rule) => rule.endsWith('=deny'))
  const wanted = [...['strict', 'read-only', 'dry-run'].filter(given), ...(denied === undefined ? [] : [`permission ${denied}`])]
  for (const option of wanted) {
    const why = unenforced(programOf(agent), textOption(values, 'agent-mode'), option === 'strict')
    if (why !== undefined) throw usageError(`--${option} cannot be enforced with the agent ${quoted(agent, 200)}: ${why}`)
  }
}
