// What a record of each type must say beyond its shape: the keys and the closed lists of the document. Reading is lenient; this is for the
// judge. What a version of the program is known to write against the document is a warning, and says so.
import { isRecord, type Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Base, Tag, Wire } from './wire.ts'
import { isErrorWord, isFinishWord } from './words.ts'

export const fieldRules = {
  'required-key': 'A record has the keys that the document gives its type; timestamp and sessionID stand on every record.',
  'schema-version': 'schemaVersion is "1".',
  words:
    'session_error.reason, message_complete.finish, the action of a permission rule and the source of a tool are words that the document lists.',
  'mcp-name': 'The name of an MCP tool is sanitised to [a-zA-Z0-9_-].',
  'builtin-server': 'Only a tool with the source mcp has a server.',
  'part-type': 'part.type is text, reasoning, tool, step-start or step-finish, as the type of the record says.',
  'error-text': 'On error, state.error is the error message.',
  'cost-shape': 'message_complete.cost has input, output and cache.',
} as const

export type TellField = (code: keyof typeof fieldRules, text: string, severity?: 'error' | 'warn') => void

/** What the program is known to do. */
export const known = (does: string): string => `; against its document, aictrl ${does}`

const required: Partial<Record<Tag, readonly string[]>> = {
  session_complete: ['durationMs', 'error'],
  message_complete: ['modelID', 'providerID', 'agent', 'tokens', 'context'],
  tool_use: ['part.sessionID'],
  text: ['part.time'],
  reasoning: ['part.time'],
  skill_discovered: ['description', 'location'],
  skill_loaded: ['location'],
  skill_resource_loaded: ['filePath'],
  subagent_start: ['parentSessionID', 'title'],
  subagent_complete: ['parentSessionID'],
  error: ['error.name', 'error.data', 'sourceSessionID'],
}

const tokenKeys = ['input', 'output', 'reasoning', 'cache.read', 'cache.write']

function at(value: unknown, path: string): unknown {
  let found = value
  for (const key of path.split('.')) found = isRecord(found) ? found[key] : undefined
  return found
}

export function judgeFields(record: Rec, tag: Tag, tell: TellField): void {
  const lacks = (value: unknown, paths: readonly string[], place = ''): void => {
    for (const path of paths) if (at(value, path) === undefined) tell('required-key', `${tag} has no ${place}${path}`)
  }
  const { timestamp, sessionID, schemaVersion } = record as Base
  if (timestamp === undefined) tell('required-key', `${tag} has no timestamp`)
  if (sessionID === undefined) tell('required-key', `${tag} has no sessionID`)
  if (schemaVersion !== undefined && schemaVersion !== '1') tell('schema-version', `schemaVersion ${quoted(schemaVersion)} of ${tag}`)
  const keys = required[tag]
  if (keys !== undefined) lacks(record, keys)
  partType(record, tag, tell)
  switch (tag) {
    case 'session_start':
      return start(record as Wire<'session_start'>, tell)
    case 'tool_catalog':
      return catalog(record as Wire<'tool_catalog'>, tell)
    case 'session_error': {
      const { reason } = record as Wire<'session_error'>
      if (reason === 'interrupted' || reason === 'terminated')
        tell('words', `reason ${quoted(reason)}${known('0.4 says so for a signal')}`, 'warn')
      else if (!isErrorWord(reason)) tell('words', `reason ${quoted(reason)}`)
      return
    }
    case 'tool_use': {
      const { status, error } = (record as Wire<'tool_use'>).part.state
      if (status === 'error' && typeof error !== 'string') tell('error-text', 'state.error is missing on an error')
      return
    }
    case 'message_complete': {
      const { tokens, context, cost, finish } = record as Wire<'message_complete'>
      if (tokens === null) tell('required-key', `tokens is null${known('0.4 does so when it knows no usage')}`, 'warn')
      else if (tokens !== undefined) lacks(tokens, tokenKeys, 'tokens.')
      if (context !== null && context !== undefined) lacks(context, ['ratio'], 'context.')
      if (typeof cost === 'number') tell('cost-shape', `cost is the number ${cost}${known('writes the sum')}`, 'warn')
      else if (cost === null) tell('cost-shape', 'cost is null')
      else if (isRecord(cost)) for (const key of priceKeys) if (typeof at(cost, key) !== 'number') tell('cost-shape', `cost has no ${key}`)
      if (typeof finish === 'string' && !finishWords.has(finish)) {
        if (isFinishWord(finish)) tell('words', `finish ${quoted(finish)}${known('writes the words of its AI SDK')}`, 'warn')
        else tell('words', `finish ${quoted(finish)}`)
      }
    }
  }
}

const priceKeys = ['input', 'output', 'cache.read', 'cache.write']
const finishWords: ReadonlySet<string> = new Set(['tool-calls', 'end_turn', 'max_tokens'])

const partTypes: Partial<Record<Tag, string>> = {
  text: 'text',
  reasoning: 'reasoning',
  tool_use: 'tool',
  step_start: 'step-start',
  step_finish: 'step-finish',
}

function partType(record: Rec, tag: Tag, tell: TellField): void {
  const wanted = partTypes[tag]
  if (wanted === undefined) return
  const { type } = (record as Wire<'step_start'>).part
  if (type !== wanted) tell('part-type', type === undefined ? `${tag} has no part.type` : `part.type ${quoted(type)} of ${tag}`)
}

const actions: ReadonlySet<string> = new Set(['allow', 'ask', 'deny'])

function start(record: Wire<'session_start'>, tell: TellField): void {
  for (const key of ['model', 'agent'] as const)
    if (record[key] === undefined) tell('required-key', `session_start has no ${key}${known('leaves out what no option named')}`, 'warn')
  for (const { action, permission } of record.permissions)
    if (!actions.has(action)) tell('words', `action ${quoted(action)} of the rule for ${quoted(permission)}`)
}

function catalog({ tools }: Wire<'tool_catalog'>, tell: TellField): void {
  for (const { name, source, server } of tools) {
    if (source === 'mcp') {
      // The document's own example leaves the server out of the name, so that only the letters are judged.
      if (/[^a-zA-Z0-9_-]/.test(name)) tell('mcp-name', `the name of the MCP tool ${quoted(name)} is not sanitised`)
    } else if (source !== 'builtin') tell('words', `source ${quoted(source)} of tool ${quoted(name)}`)
    else if (server !== undefined) tell('builtin-server', `the builtin tool ${quoted(name)} has a server`)
  }
}
