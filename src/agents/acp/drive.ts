// Drives any agent that speaks the Agent Client Protocol over its standard streams.
import type { AgentRequest, Driver, Program } from '../driver.ts'
import { agentEnvironment } from '../process/environment.ts'
import { type Line, liveAcp, type Truths } from './live.ts'
import { acpTalk } from './talk.ts'

export function programOf(
  file: string,
  args: readonly string[],
  request: AgentRequest,
  own: RegExp,
  more: Readonly<Record<string, string>> = {},
): Program {
  const { cwd, env, passed, variables } = request
  const all = [...args, ...(request.args ?? [])]
  return { ...commandOf(file, all), cwd, env: { ...more, ...agentEnvironment(env, own, passed), ...variables } }
}

/** A script runs in our own Node. */
export const commandOf = (file: string, args: readonly string[]): Pick<Program, 'file' | 'args'> =>
  /\.[cm]?js$/.test(file) ? { file: process.execPath, args: [file, ...args] } : { file, args }

/** `judge`, `aside`: what it does not say as it is. */
export type AcpAgent = Pick<Driver, 'title' | 'name' | 'program' | 'readStderr' | 'again' | 'stays'> &
  Truths & {
    /** What its program was told by its command line is not said again. */
    said?: readonly ('model' | 'mode')[]
  }

export function driveAcp({ judge, aside, said = [], ...agent }: AcpAgent, request: AgentRequest): Driver {
  const line: Line = {}
  const { program, title } = agent
  const { cwd, how, native, model, mode } = request
  const talk = acpTalk(
    {
      cwd,
      how,
      native,
      title,
      model: said.includes('model') ? undefined : model,
      mode: said.includes('mode') ? undefined : mode,
      env: typeof program === 'string' ? {} : program.env,
    },
    line,
  )
  return { ...agent, onlyPrompted: true, dialect: liveAcp(line, { judge, aside }), talk }
}
