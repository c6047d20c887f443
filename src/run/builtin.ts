// Everything the built-in agent needs, gathered from the machine: settings as far as they are trusted, skills, profiles, instructions,
// tools, MCP servers, the model. Nothing is started here.
import { join } from 'node:path'
import type { McpOptions } from '../agents/builtin/mcp/spec.ts'
import type { BuiltinRequest, Server, Servers, ServerStart } from '../agents/builtin/request.ts'
import { systemText } from '../agents/builtin/system.ts'
import { connectServers } from '../agents/builtin/mcp/session.ts'
import { chooseModel, defaultModel, keylessModel, MissingKeyError, ModelChoiceError } from '../agents/builtin/model/choose.ts'
import { createScripts } from '../agents/builtin/model/scripts.ts'
import { childEnvironment } from '../agents/process/environment.ts'
import { withSafeGit } from '../agents/process/git.ts'
import { builtinTools } from '../agents/builtin/tools/index.ts'
import type { Tool } from '../agents/builtin/tools/tool.ts'
import { findInstructions } from '../config/instructions.ts'
import type { Loaded, Profile, ServerSpec } from '../config/shape.ts'
import { loadSkill } from '../config/skills.ts'
import { matchesName } from '../config/tools.ts'
import { expandServer } from '../config/servers.ts'
import type { Catalog } from '../prices/catalog.ts'
import type { PermissionRule } from '../supervise/contract.ts'
import { judge, toolHidden } from '../supervise/rules.ts'
import { isSecretFile, secretGlobs } from '../supervise/secrets.ts'
import { outputCleaner, outputsIn, removeLeftOutputs } from './outputs.ts'
import { secretsOf } from './supervisors.ts'
import { type Frame, type FrameOptions, prepareFrame, unreadable } from './frame.ts'

export type BuiltinOptions = FrameOptions & {
  /** Where sessions and outputs are kept. */
  dataFolder: string
  version: string
  model?: string
  gates: { strict: boolean }
  /** False: only keys of this machine are taken out of what is kept. */
  redact?: boolean
  apiRetries: number
  stream: boolean
  /** Ask for thoughts, where a provider tells them only when asked. */
  thoughts: boolean
  /** MCP servers beside those of the settings, or in their place. */
  servers?: { more: Readonly<Record<string, ServerSpec>>; only: boolean }
  scripts: Readonly<Record<string, () => Promise<string>>>
  prices: Catalog
  now(): number
}

export type Prepared = Frame & { request: Omit<BuiltinRequest, 'session' | 'how' | 'forkedFrom' | 'history'> }

export async function prepareBuiltin(options: BuiltinOptions): Promise<Prepared> {
  const { env, now } = options
  const frame = await prepareFrame(options)
  const { places, settings, profile, profiles, skills, keys, secrets, rulesFor } = frame
  const { instructions, problems: unread } = await findInstructions(places, settings.instructions, isSecretFile)
  const profileNamed = (name: string): Profile | undefined => profiles.find((one) => one.name === name)
  const scripts = createScripts(places.cwd, options.scripts)
  const choose = (spec: string): ReturnType<typeof chooseModel> =>
    chooseModel(spec, { env, scripts, providers: settings.providers, thoughts: options.thoughts })
  const named = options.model ?? profile.model ?? settings.model ?? defaultModel(env)
  if (named === undefined)
    throw new ModelChoiceError(
      'no model is chosen: set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY …), or name one with --model; script/demo needs no key',
    )
  const model = await choose(named).catch((error: unknown) => {
    if (error instanceof MissingKeyError) return keylessModel(named, error)
    throw error
  })
  const outputFolder = outputsIn(options.dataFolder)
  removeLeftOutputs(options.dataFolder)
  const cleaned = options.redact === false ? { values: secrets, shapes: false } : await secretsOf(frame)
  const childEnv = withSafeGit(childEnvironment(env, settings.env))
  for (const name of Object.keys(keys)) delete childEnv[name] // a key may stand under any name
  const tools = builtinTools()
  const mcp = { ...(options.servers?.only === true ? {} : settings.mcp), ...options.servers?.more }
  const servers = serversOf(mcp, env)
  const givenUp = new AbortController()

  return {
    ...frame,
    request: {
      version: options.version,
      model,
      chooseModel: choose,
      profile,
      profiles,
      rules: rulesFor(profile.name).map(({ permission, pattern, action }) => ({ permission, pattern, action })),
      system: systemText({ cwd: places.cwd, root: places.root, platform: process.platform, now: now(), instructions }),
      tools,
      isOffered: (tool, { name }) =>
        isOffered(tool, profileNamed(name), rulesFor(name)) && (!options.gates.strict || settings.tools?.includes(tool.name) === true),
      ...(Object.keys(mcp).length > 0 && {
        servers: startOnce(
          () =>
            connect(servers, {
              env: childEnv,
              cwd: places.cwd,
              reserved: [...tools.map(({ name }) => name), 'task', 'skill'],
              secretValues: secrets,
              signal: givenUp.signal,
            }),
          () => givenUp.abort(),
        ),
      }),
      skills,
      loadSkill: (skill) => loadSkill(skill as (typeof skills)[number]),
      context: {
        cwd: places.cwd,
        root: places.root,
        home: places.home,
        env: childEnv,
        outputFolder,
        cleaner: () => outputCleaner(cleaned),
        seen: new Map(),
        secretGlobs,
        isSecret: (path) => isSecretFile(path),
        allowedHosts: (url) => hostIsNamed(rulesFor(profile.name), url),
        now,
      },
      conceal: (text) =>
        secrets.reduce((clean, secret) => (secret.length < shortestKey ? clean : clean.replaceAll(secret, '[redacted:value]')), text),
      findModel: (name) => options.prices.find(name),
      apiRetries: options.apiRetries,
      ...(settings.historyLimit !== undefined && settings.historyLimit > 0 && { historyLimit: settings.historyLimit }),
      stream: options.stream,
      notices: [...frame.notices, ...unread.map(unreadable)],
    },
  }
}

/** What one session keeps is not for another to read: they may be of different projects. A fork goes on with what it was made of. */
export function forSession(prepared: Prepared, id: string, forkedFrom?: string): Prepared {
  const { request } = prepared
  const all = request.context.outputFolder
  const folders = [id, ...(forkedFrom === undefined ? [] : [forkedFrom])].map((name) => join(all, name))
  return { ...prepared, ownFolders: folders, request: { ...request, context: { ...request.context, outputFolder: folders[0]! } } }
}

/** `connect` is called when the servers are first needed, and never again. */
export function startOnce(connectAll: () => Promise<Servers>, giveUp: () => void = () => {}): ServerStart {
  let connected: Promise<Servers> | undefined
  return {
    connect: () => (connected ??= connectAll()),
    giveUp,
    async close() {
      giveUp()
      await (await connected)?.close()
    },
  }
}

type FoundServers = { specs: Record<string, ServerSpec>; failed: Server[] }

/** A server whose settings name a variable that is not set fails alone. */
function serversOf(mcp: Loaded['mcp'], env: NodeJS.ProcessEnv): FoundServers {
  const found: FoundServers = { specs: {}, failed: [] }
  for (const [name, server] of Object.entries(mcp)) {
    try {
      found.specs[name] = expandServer(server, env)
    } catch (error) {
      found.failed.push({ name, status: 'failed', error: (error as Error).message })
    }
  }
  return found
}

async function connect({ specs, failed }: FoundServers, options: McpOptions): Promise<Servers> {
  const session = await connectServers(specs, options)
  return { ...session, status: () => [...session.status(), ...failed] }
}

/** What is shorter is no key, and may stand anywhere. */
const shortestKey = 8

function isOffered({ name }: Tool, profile: Profile | undefined, rules: readonly PermissionRule[]): boolean {
  if (toolHidden(rules, name)) return false
  return profile?.tools === undefined || profile.tools.some((pattern) => matchesName(pattern, name))
}

/** A rule for this very host opens an address that is closed otherwise; a rule for everything does not. */
export function hostIsNamed(rules: readonly PermissionRule[], { href, hostname, host }: URL): boolean {
  const names = (pattern: string): boolean => {
    const said = /^[^/]*:\/\/([^/?#*]*)/.exec(pattern)?.[1]?.replace(/:$/, '')
    return said === hostname || said === host
  }
  const named = rules.filter(({ permission, pattern }) => permission === 'webfetch' && names(pattern))
  return judge(named, 'webfetch', href).action === 'allow'
}
