// Drives Gemini CLI: over the Agent Client Protocol, or without a way back by its own stream.
import { gemini } from '../../dialects/gemini/index.ts'
import { driveAcp, programOf } from '../acp/drive.ts'
import { withAnswers } from '../acp/turn.ts'
import type { Again, AgentRequest, Driver, Program } from '../driver.ts'
import { locate, missingText } from '../find.ts'
import { guardedRequest } from '../guard.ts'
import { headlessTalk } from '../headless.ts'
import { judgeGemini } from './judge.ts'
import { readGeminiStderr, readLateStderr } from './stderr.ts'

/** Gemini's own variables, but for what tells of a Gemini that runs us. */
const ownVariables = /^(GEMINI_(?!CLI$|CLI_IDE_)|GOOGLE_|CLOUDSDK_|CODE_ASSIST_)/

/** Its second process brings nothing but a larger heap, and time. */
const defaults = { GEMINI_CLI_NO_RELAUNCH: 'true' }

const titles = { title: 'Gemini CLI', name: 'gemini-cli' }

export function geminiDriver(request: AgentRequest): Driver {
  const file = request.file ?? locate('gemini', request.env)
  const program = (flags: readonly string[]): Program | string =>
    file === undefined ? missingText('gemini') : programOf(file, flags, request, ownVariables, defaults)
  if (request.headless === true)
    return {
      ...titles,
      dialect: withAnswers(gemini, judgeGemini),
      program: program(headlessFlags(request)),
      talk: (wire) => headlessTalk({ ...wire, show() {} }), // it repeats the prompt itself
      readStderr: readGeminiStderr,
    }
  const { model } = request
  return driveAcp(
    {
      ...titles,
      program: program(['--acp', ...(model === undefined ? [] : ['-m', model])]),
      judge: judgeGemini,
      said: ['model'],
      stays: true,
      readStderr: readLateStderr,
      again: olderName,
    },
    guardedRequest('gemini', request),
  )
}

/** The prompt comes on its input. */
export function headlessFlags({ model, mode, native }: AgentRequest): string[] {
  const flags = [['-o', 'stream-json']]
  if (model !== undefined) flags.push(['-m', model])
  if (mode !== undefined) flags.push(['--approval-mode', mode])
  if (native !== undefined) flags.push(['--resume', native])
  return flags.flat()
}

/** The protocol's flag had another name once. */
export const olderName = (args: readonly string[], stderr: string): Again | undefined =>
  /unknown arguments?: .*\bacp\b/i.test(stderr) ? { args: args.map((arg) => (arg === '--acp' ? '--experimental-acp' : arg)) } : undefined
