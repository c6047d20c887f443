// The calls of one session: tools by name, commands, and the files they touch. A call counts when it is over; what changed a file must have gone well.
import { isRecord } from '../base/json.ts'
import type { EventOf } from '../model/event.ts'
import { toolFailed } from '../model/outcome.ts'
import type { ToolKind } from '../model/vocabulary.ts'
import { changesOf } from './changes.ts'
import { createFiles } from './digest-files.ts'
import type { CommandDigest, SessionDigest, ToolDigest } from './digest-shape.ts'
import { beginning, ownCopy } from './excerpt.ts'
import { commandOf, subjectOf } from './subject.ts'
import { createWaiting } from './waiting.ts'

const mostOpen = 4096
const mostTools = 200
const mostCommands = 100
const mostFailed = 1024
const longestCommand = 200

type Call = {
  seq: number
  name: string
  toolKind: ToolKind
  title: string | undefined
  input: unknown
  paths: readonly string[] | undefined
}
/** A call that did not go well, as it was counted. A command is listed if it is one of the first. */
type Failed = { tool: ToolDigest; as: 'failed' | 'abandoned'; isCommand: boolean; listed: CommandDigest | undefined }

/** How a call touches a file that it names. */
const touches: Partial<Record<ToolKind, 'read' | 'changed'>> = { read: 'read', edit: 'changed', delete: 'changed', move: 'changed' }

export function createTools() {
  const open = new Map<string, Call>()
  const tools = new Map<string, ToolDigest>()
  const files = createFiles()
  const waiting = createWaiting()
  const commands: SessionDigest['commands'] = { items: [], more: 0, failed: 0 }
  const failures = new Map<string, Failed>() // of the turn: its end may say that they were not allowed

  function toolOf(name: string, toolKind: ToolKind): ToolDigest {
    let tool = tools.get(name)
    if (tool !== undefined) return tool
    const key = tools.size < mostTools ? name : 'others'
    tool = tools.get(key)
    if (tool === undefined)
      tools.set(key, (tool = { name: key, toolKind, calls: 0, failed: 0, denied: 0, abandoned: 0, totalMs: 0, longestMs: 0 }))
    return tool
  }

  function addCommand(command: string, call: Call, end: EventOf<'tool.end'>, ms: number | undefined): CommandDigest | undefined {
    const failed = toolFailed(end)
    if (failed) commands.failed++
    if (commands.items.length >= mostCommands) return void commands.more++
    const { status, exitCode } = end
    const item = {
      seq: call.seq,
      command: ownCopy(beginning(command, longestCommand)),
      status,
      failed,
      ...(exitCode !== undefined && { exitCode }),
      ...(ms !== undefined && { durationMs: ms }),
    }
    commands.items.push(item)
    return item
  }

  /** The call had been counted as failed. Its time stays: nobody knows which part of it was waiting. */
  function deny({ tool, as, isCommand, listed }: Failed): void {
    tool[as]--
    tool.denied++
    if (isCommand) commands.failed--
    if (listed !== undefined) commands.items.splice(commands.items.indexOf(listed), 1)
    else if (isCommand) commands.more--
  }

  return {
    /** Questions about calls and the answers to them: their time is not the time of a call. */
    wait: waiting.push,
    start(event: EventOf<'tool.start'>): void {
      const { call = '', seq, name, toolKind, title, input, paths } = event
      waiting.push(event)
      if (open.size >= mostOpen) open.delete(open.keys().next().value!)
      open.set(call, { seq, name, toolKind, title, input, paths })
    },
    update({ call = '', toolKind, title, input, paths, content }: EventOf<'tool.update'>): void {
      const known = open.get(call)
      if (known === undefined) return
      if (content !== undefined && known.paths === undefined) known.paths = changesOf({ content }).flatMap(({ path }) => path ?? [])
      known.toolKind = toolKind ?? known.toolKind
      known.title = title ?? known.title
      known.input = input ?? known.input
      known.paths = paths ?? known.paths
    },
    end(event: EventOf<'tool.end'>): void {
      const call = open.get(event.call ?? '')
      if (call === undefined) return
      open.delete(event.call ?? '')
      const failed = toolFailed(event)
      const ran = event.status !== 'denied' && event.status !== 'abandoned'
      const took = waiting.took(event)
      const ms = ran ? took : undefined
      const tool = toolOf(call.name, call.toolKind)
      tool.calls++
      if (event.status === 'denied') tool.denied++
      else if (event.status === 'abandoned') tool.abandoned++
      else if (failed) tool.failed++
      if (ms !== undefined) {
        tool.totalMs += ms
        tool.longestMs = Math.max(tool.longestMs, ms)
      }
      const how = touches[call.toolKind]
      if (how !== undefined && !failed)
        for (const path of pathsOf(call, event)) files.touch(path, how, event.agent, directoryOf(call.input))
      if (event.status === 'denied') return
      const command = commandOf(call)
      const listed = command === undefined ? undefined : addCommand(command, call, event, ms)
      if (!failed || event.call === undefined) return
      if (failures.size >= mostFailed) failures.delete(failures.keys().next().value!)
      failures.set(event.call, { tool, as: ran ? 'failed' : 'abandoned', isCommand: command !== undefined, listed })
    },
    /** Calls that a turn says were not allowed, some of which had only ended in failure before. */
    endTurn(denied: readonly { call?: string | undefined }[] | undefined): void {
      for (const { call = '' } of denied ?? []) {
        const known = failures.get(call)
        if (known === undefined) continue
        failures.delete(call)
        deny(known)
      }
      failures.clear()
    },
    /** Many sources tell of a change beside the call that made it, some more than once: it counts where no call names the file. */
    changed: (path: string, agent: string | undefined): void => files.touch(path, 'told', agent, undefined),
    enter: files.enter,
    /** What an open call is about. */
    subject(call: string | undefined): string {
      const known = open.get(call ?? '')
      return known === undefined ? '' : subjectOf(known)
    },
    /** The call that began last of those that are open. */
    current: (): string | undefined => [...open.values()].at(-1)?.name,
    denied: (): number => sum(tools.values(), ({ denied }) => denied),
    tools: (): ToolDigest[] => [...tools.values()].toSorted((a, b) => b.calls - a.calls || b.totalMs - a.totalMs),
    files: files.list,
    commands: (): SessionDigest['commands'] => ({ ...commands }),
  }
}

/** Paths that the source told, else those of the changes that the call made, else what its input says it is about. */
function pathsOf(call: Call, { data, content }: EventOf<'tool.end'>): readonly string[] {
  const { paths, input, toolKind } = call
  if (paths !== undefined && paths.length > 0) return paths
  if (toolKind !== 'read') return changesOf({ input, data, content }).flatMap(({ path, patch }) => path ?? pathsInPatch(patch ?? ''))
  const subject = isRecord(input) ? subjectOf({ toolKind, input }) : ''
  return subject === '' || subject.startsWith('{') ? [] : [subject]
}

/** Where a call runs that says so. */
function directoryOf(input: unknown): string | undefined {
  const directory = isRecord(input) ? (input['cwd'] ?? input['workdir']) : undefined
  return typeof directory === 'string' ? directory : undefined
}

/** As Codex and opencode write patches, and as diff does. */
const pathsInPatch = (patch: string): string[] =>
  [...patch.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/gm)].map(([, path]) => path!.trim())

function sum<T>(items: Iterable<T>, of: (item: T) => number): number {
  let all = 0
  for (const item of items) all += of(item)
  return all
}
