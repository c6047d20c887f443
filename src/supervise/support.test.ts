// Asks and a broker for tests: the project is /p, the home folder /h, and no path is a link.
import assert from 'node:assert/strict'
import type { Ask } from './contract.ts'
import { type Broker, type BrokerSettings, createBroker, type Question, type Settled } from './permission.ts'
import { defaultRules, parseRule } from './rules.ts'

export const scene = { root: '/p', home: '/h', realPath: (path: string): string => path }

export function broker(texts: readonly string[], settings: Partial<BrokerSettings> = {}): Broker {
  const rules = [...defaultRules, ...texts.map(parseRule)]
  return createBroker({ rulesFor: () => rules, scene, interactive: () => false, ...settings })
}

let count = 0
export const bash = (text: string, more: Partial<Ask> = {}): Ask => ({
  id: `ask-${++count}`,
  place: { call: 'call-1' },
  profile: 'default',
  name: 'bash',
  toolKind: 'execute',
  input: { command: text },
  permission: 'bash',
  patterns: [],
  command: { text, cwd: '/p' },
  changes: true,
  ...more,
})
export const file = (permission: string, path: string, more: Partial<Ask> = {}): Ask => ({
  id: `ask-${++count}`,
  place: {},
  profile: 'default',
  name: permission,
  toolKind: permission === 'read' ? 'read' : 'edit',
  input: { filePath: path },
  permission,
  patterns: [path],
  paths: [path],
  changes: permission !== 'read',
  ...more,
})

export function settled(given: Settled | Question): Settled {
  assert.ok('answer' in given, 'nobody should be asked')
  return given
}
export function question(given: Settled | Question): Question {
  assert.ok('request' in given, 'somebody should be asked')
  return given
}
export const decision = (one: Broker, ask: Ask): string => settled(one.decide(ask)).answer.decision
