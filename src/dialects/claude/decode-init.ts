// `system/init` stands before every turn. The first one starts the session, later ones tell only what changed.
import type { Rec } from '../../base/json.ts'
import { type Reader, startTurn } from './decode-state.ts'
import type { Wire } from './wire.ts'

type Init = Wire<'system/init'>

export function init(on: Reader, record: Init): void {
  const before = on.session.init as Init | undefined
  on.session.init = record as Rec
  on.session.fresh ||= on.pen.openTurns() === 0
  const { model, cwd, permissionMode: mode, claude_code_version: version } = record
  if (before === undefined) on.pen.emit('session.start', { native: record.session_id, program: 'claude-code', version, model, cwd, mode })
  else {
    const changed = {
      model: model === before.model ? undefined : model,
      cwd: cwd === before.cwd ? undefined : cwd,
      mode: mode === before.permissionMode ? undefined : mode,
    }
    if (changed.model !== undefined || changed.cwd !== undefined || changed.mode !== undefined)
      on.pen.emit('session.update', { by: 'agent', ...changed })
  }
  if (before === undefined || !sameCatalog(record, before)) catalog(on, record)
  startTurn(on, on.session.woken ? 'task' : 'prompt')
}

function catalog(on: Reader, { tools, mcp_servers: servers, slash_commands: commands, agents, skills, plugins }: Init): void {
  if (
    tools === undefined &&
    servers === undefined &&
    commands === undefined &&
    agents === undefined &&
    skills === undefined &&
    plugins === undefined
  )
    return
  on.pen.emit('catalog.update', {
    tools: tools?.map(toolEntry),
    servers: servers?.map(({ name, status, error }) => ({ name, status: status ?? 'unknown', error })),
    commands: commands?.map(named),
    agents: agents?.map(named),
    skills: skills?.map(named),
    plugins: plugins?.map(({ name, path, source }) => ({ name, path, source })),
  })
}

const named = (name: string): { name: string } => ({ name })

export function toolEntry(name: string): { name: string; source: 'builtin' | 'mcp'; server?: string } {
  if (!name.startsWith('mcp__')) return { name, source: 'builtin' }
  return { name, source: 'mcp', server: name.slice(5).split('__', 1)[0]! }
}

const lists = ['tools', 'slash_commands', 'agents', 'skills'] as const

function sameCatalog(a: Init, b: Init): boolean {
  for (const list of lists) if (!sameTexts(a[list], b[list])) return false
  return sameTexts(
    a.mcp_servers?.map(({ name, status }) => `${name} ${status}`),
    b.mcp_servers?.map(({ name, status }) => `${name} ${status}`),
  )
}

function sameTexts(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.length === b.length && a.every((text, index) => text === b[index])
}
