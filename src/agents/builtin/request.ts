// What the built-in agent is started with. Everything it knows of the machine comes in here: settings, skills and profiles are found
// by others, so that a session is the same wherever it runs.
import type { Event } from '../../model/event.ts'
import type { Model } from '../../prices/catalog.ts'
import type { PermissionRule } from '../../supervise/contract.ts'
import type { Chosen } from './model/chosen.ts'
import type { Tool, ToolContext } from './tools/tool.ts'

export type Skill = { name: string; description: string; version?: string; path: string; folder: string }

/** A way to work: words for the model, and what it may use. */
export type Profile = { name: string; description: string; prompt?: string; model?: string }

export type Server = { name: string; status: string; error?: string }

/** The tools of connected MCP servers. They may change while the session lives; `settle` waits until they are known again. */
export type Servers = { tools(): readonly Tool[]; status(): readonly Server[]; settle(): Promise<void>; close(): Promise<void> }

/** Servers are processes: none is started before somebody needs them, and whoever may have started them closes them. */
export type ServerStart = {
  /** Starts them, the first time. Never rejects. */
  connect(): Promise<Servers>
  /** Those that are not ready yet are given up: the session is to end. */
  giveUp(): void
  /** Ends what was started. */
  close(): Promise<void>
}

export type BuiltinRequest = {
  session: string
  how: 'new' | 'resumed' | 'forked'
  forkedFrom?: string
  /** All events of the session so far: the conversation goes on from them. */
  history: readonly Event[]
  version: string
  model: Chosen
  /** Another model by its name, for a profile that wants one. Rejects with a sentence for people. */
  chooseModel(name: string): Promise<Chosen>
  profile: Profile
  /** Those that a subagent can have. */
  profiles: readonly Profile[]
  /** The whole list, for the stream to show. */
  rules: readonly PermissionRule[]
  /** Words for the model before everything else, without those of the profile. */
  system: string
  tools: readonly Tool[]
  /** False: the model of this profile does not even see the tool. */
  isOffered(tool: Tool, profile: Profile): boolean
  servers?: ServerStart
  skills: readonly Skill[]
  loadSkill(skill: Skill): Promise<{ body: string; files: readonly string[] }>
  context: ToolContext
  /** Takes the provider keys of this machine out of what a tool says: not even the model is to see them. */
  conceal(text: string): string
  /** Prices and limits of a model; undefined when nobody knows them. */
  findModel(model: string): Model | undefined
  apiRetries: number
  /** At most so many messages of the conversation are sent. */
  historyLimit?: number
  stream: boolean
  /** What was found out before the start that everybody should know. */
  notices?: readonly { level: 'info' | 'warn'; code: string; text: string }[]
}

export const systemFor = ({ system }: Pick<BuiltinRequest, 'system'>, { prompt }: Profile): string =>
  prompt === undefined ? system : `${system}\n\n${prompt}`
