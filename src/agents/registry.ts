// The agents that are programs of their own, by name. Each is loaded when it is wanted.
import type { AgentRequest, Driver } from './driver.ts'

export type DriverOf = (request: AgentRequest) => Driver

const drivers: Readonly<Record<string, () => Promise<DriverOf>>> = {
  claude: async () => (await import('./claude/agent.ts')).claudeDriver,
}

export const spawnedAgents: readonly string[] = Object.keys(drivers)

export const driverFor = (name: string): Promise<DriverOf> | undefined => (Object.hasOwn(drivers, name) ? drivers[name]!() : undefined)
