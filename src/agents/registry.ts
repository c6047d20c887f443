// The agents that are programs of their own, by name. Each is loaded when it is wanted.
import type { AgentRequest, Driver } from './driver.ts'

export type DriverOf = (request: AgentRequest) => Driver

const drivers: Readonly<Record<string, () => Promise<DriverOf>>> = {
  claude: async () => (await import('./claude/agent.ts')).claudeDriver,
  codex: async () => (await import('./codex/agent.ts')).codexDriver,
  copilot: async () => (await import('./copilot/agent.ts')).copilotDriver,
  gemini: async () => (await import('./gemini/agent.ts')).geminiDriver,
  opencode: async () => (await import('./opencode/agent.ts')).opencodeDriver,
}

/** `acp:COMMAND` is whatever the command starts. */
export function driverFor(name: string): Promise<DriverOf> | undefined {
  if (name.startsWith('acp:')) return import('./acp/agent.ts').then(({ acpDriver }) => acpDriver(name.slice(4)))
  return Object.hasOwn(drivers, name) ? drivers[name]!() : undefined
}
