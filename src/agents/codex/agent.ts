// Drives Codex: its app-server, which asks and can be answered, or `codex exec` where that is wanted or there is nothing better.
import { codex } from '../../dialects/codex/index.ts'
import type { Option } from '../../model/event.ts'
import { commandOf } from '../acp/drive.ts'
import type { AgentRequest, Driver, Program, Prompt, Talk } from '../driver.ts'
import { locate, missingText } from '../find.ts'
import { headlessTalk } from '../headless.ts'
import { environmentOf } from './environment.ts'
import { guarded, type Mode, modeOf } from './mode.ts'
import { createStderrReader } from './stderr.ts'
import { serverTalk } from './talk.ts'

export function codexDriver(request: AgentRequest): Driver {
  const file = request.file ?? locate('codex', request.env)
  const words = modeOf(request.mode)
  const refusal: Option = { id: 'decline', kind: 'reject_once' }
  const about = { title: 'Codex', name: 'codex', dialect: codex, refusal }
  if (file === undefined) return { ...about, program: missingText('codex'), talk: headlessTalk }
  if (typeof words === 'string') return { ...about, program: words, talk: headlessTalk }
  const mode: Mode = guarded(words, request.guard)

  // Of a thread that goes on, exec tells only the sum of all its tokens: the server is better even when nobody is asked.
  const isPlain = request.headless === true && request.native === undefined
  let hasCalls = !isPlain && request.native === undefined
  const stderr = createStderrReader(() => hasCalls)
  let first: Prompt | undefined
  let talking: Talk | undefined

  const heard = (talk: Talk): Talk => ({
    ...talk,
    prompt(prompt) {
      first ??= prompt
      talk.prompt(prompt)
    },
    interrupt() {
      stderr.rest()
      talk.interrupt()
    },
    onEvent(event) {
      stderr.onEvent(event)
      talk.onEvent?.(event)
    },
  })

  const server = ['app-server', ...(request.args ?? [])]
  return {
    ...about,
    program: programOf(file, isPlain ? execArgs(request, mode) : server, request),
    talk: (wire) => heard((talking = isPlain ? headlessTalk(wire) : serverTalk(wire, request, mode))),
    readStderr: stderr.readLine,
    again(args, said, wire) {
      // Exec asks nobody: only its sandbox holds.
      if (isPlain || first === undefined || request.guard === 'asking' || !hasNoServer.test(said)) return undefined
      hasCalls = false
      const dropped = (talking?.unsent?.() ?? []).filter((prompt) => prompt !== first) // exec takes one prompt
      const exec = headlessTalk({ ...wire, text() {} })
      exec.prompt(first)
      const words = [...args.slice(0, args.length - server.length), ...execArgs(request, mode, first.text)]
      return { args: words, talk: heard({ ...exec, unsent: () => dropped }) }
    },
  }
}

function programOf(file: string, args: readonly string[], request: AgentRequest): Program {
  return { ...commandOf(file, args), cwd: request.cwd, env: environmentOf(request) }
}

/** An old program does not know the word, or takes it for a prompt. */
const hasNoServer = /unrecognized subcommand|unexpected argument|not a terminal/

/** Only the sandbox counts, for nobody can be asked. The prompt comes on stdin; with one here, an old program reads nothing from there. */
export function execArgs({ model, native, how, args = [] }: AgentRequest, { sandbox }: Mode, prompt?: string): string[] {
  const flags = ['exec', '--json', '--skip-git-repo-check', '-s', sandbox, ...(model === undefined ? [] : ['-m', model]), ...args]
  const past = native === undefined ? [] : [how === 'forked' ? 'fork' : 'resume', native]
  return [...flags, ...past, ...(prompt === undefined ? ['-'] : ['--', prompt])]
}
