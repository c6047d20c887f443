// Drives Copilot CLI: over the Agent Client Protocol, or without a way back by its own stream.
import { copilot } from '../../dialects/copilot/index.ts'
import { driveAcp, programOf } from '../acp/drive.ts'
import { withAnswers } from '../acp/turn.ts'
import type { AgentRequest, Driver, Program } from '../driver.ts'
import { locate, missingText } from '../find.ts'
import { guardedRequest } from '../guard.ts'
import { headlessTalk } from '../headless.ts'
import { copilotAsides, judgeCopilot } from './truths.ts'

/** Copilot's own variables, and those that it logs in with. */
const ownVariables = /^(COPILOT_(?!CLI$|AGENT_SESSION)|GH_(TOKEN|HOST|ENTERPRISE_TOKEN)$|GITHUB_TOKEN$)/

const titles = { title: 'Copilot CLI', name: 'copilot' }

export function copilotDriver(request: AgentRequest): Driver {
  const file = request.file ?? locate('copilot', request.env)
  const program = (flags: readonly string[]): Program | string =>
    file === undefined ? missingText('copilot') : programOf(file, flags, guardedRequest('copilot', request), ownVariables)
  const { model } = request
  if (request.headless === true)
    return {
      ...titles,
      dialect: withAnswers(copilot),
      program: program(headlessFlags(request)),
      talk: (wire) => headlessTalk({ ...wire, show() {} }), // it repeats the prompt itself
    }
  return driveAcp(
    {
      ...titles,
      program: program(['--acp', ...(model === undefined ? [] : ['--model', model])]),
      said: ['model'],
      judge: judgeCopilot,
      aside: copilotAsides(),
    },
    request,
  )
}

/** The prompt comes on its input. */
export function headlessFlags({ model, mode, native }: AgentRequest): string[] {
  const flags = [['--output-format', 'json']]
  if (model !== undefined) flags.push(['--model', model])
  if (mode !== undefined) flags.push(['--mode', mode])
  if (native !== undefined) flags.push([`--resume=${native}`])
  return flags.flat()
}
