// Who decides and who watches in a run of the built-in agent, made from the settings and the command line.
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { quoted } from '../base/text.ts'
import { SettingsError } from '../config/read.ts'
import { makeEvent } from '../model/make.ts'
import { createRedactor, type LinePattern } from '../stream/redact.ts'
import type { Gates } from '../supervise/gates.ts'
import { type Broker, createBroker } from '../supervise/permission.ts'
import { createStatus } from '../supervise/status.ts'
import type { Prepared } from './builtin.ts'
import type { Stage } from './pipeline.ts'

export type Doors = { autoApprove: boolean; gates: Gates }

export function brokerOf(
  { places, settings, rulesFor, ownFolders }: Prepared,
  { autoApprove, gates }: Doors,
  interactive: boolean,
): Broker {
  return createBroker({
    rulesFor,
    scene: { root: places.root, home: places.home, folders: ownFolders, realPath },
    gates,
    listed: new Set(settings.tools),
    autoApprove,
    interactive,
  })
}

/** Where a path leads, as far as it exists: links in it are resolved, what is missing is kept. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}

/** What stands between the agent and its readers, in order. Throws a SettingsError. */
export async function stagesOf({ settings, secrets }: Prepared, redact: boolean): Promise<Stage[]> {
  return redact ? [statusStage(), redactStage(secrets, await patternsOf(settings.redact))] : [statusStage()]
}

function statusStage(): Stage {
  const policy = createStatus()
  return {
    push(event, pass) {
      const { at, session, agent, turn } = event
      for (const status of policy.step(event))
        pass(makeEvent('status.update', status, { at, session, agent, turn, synthetic: 'policy:status' }))
      pass(event)
    },
  }
}

/** Says before the end how often it had to step in. */
function redactStage(values: readonly string[], patterns: readonly LinePattern[]): Stage {
  const redactor = createRedactor({ values, patterns })
  return {
    push(event, pass) {
      if (event.kind === 'session.end') {
        for (const held of redactor.end()) pass(held)
        const notice = redactor.notice()
        if (notice !== undefined) pass(makeEvent('notice', notice, { at: event.at, session: event.session, synthetic: 'policy:redact' }))
      }
      for (const told of redactor.event(event)) pass(told)
    },
    end(pass) {
      for (const held of redactor.end()) pass(held)
    },
  }
}

/** RE2: no pattern of a user can stall the stream. */
async function patternsOf(sources: readonly string[]): Promise<LinePattern[]> {
  if (sources.length === 0) return []
  const { RE2JS } = await import('re2js') // heavy, and rarely needed
  return sources.map((source, index) => {
    try {
      const pattern = RE2JS.compile(source)
      return {
        name: `pattern-${index + 1}`,
        *find(line) {
          const matcher = pattern.matcher(line)
          while (matcher.find()) if (matcher.end() > matcher.start()) yield { start: matcher.start(), end: matcher.end() }
        },
      }
    } catch (error) {
      throw new SettingsError(`the pattern ${quoted(source)} under "redact" is not valid: ${(error as Error).message}`)
    }
  })
}
