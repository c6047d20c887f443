// The project: settings and whether they are trusted, the model and its key, MCP servers, skills and profiles.
import { MissingKeyError } from '../agents/builtin/model/choose.ts'
import { chooseModel, defaultModel, providerKeys } from '../agents/builtin/model/choose.ts'
import { createScripts } from '../agents/builtin/model/scripts.ts'
import { plural, quoted } from '../base/text.ts'
import { type Places, shortPath } from '../config/places.ts'
import { chooseProfile } from '../config/profiles.ts'
import type { Catalog } from '../prices/catalog.ts'
import { builtInScripts } from '../script/demo.ts'
import { countText } from '../views/amounts.ts'
import { note, ok, problem, type Said } from './doctor-check.ts'
import { connectHere, type Here } from './tools-here.ts'

const mostNamed = 5

export function settings({ settings: loaded, found }: Here, { home, configFolder, root }: Places): Said[] {
  const files = loaded.files.map(({ path, where, trusted }) =>
    trusted
      ? ok(where, shortPath(path, home))
      : note(where, `${shortPath(path, home)} is not trusted: it can only tighten`, 'look at it, and run: sluice trust'),
  )
  const without = found.leftOut.map((text) => note('project', `not trusted, left out: ${text}`, 'look at it, and run: sluice trust'))
  const none = ok(
    'settings',
    `none; yours would be ${shortPath(configFolder, home)}/sluice.jsonc, those of the project ${shortPath(root, home)}/sluice.jsonc`,
  )
  return [...(files.length === 0 ? [none] : files), ...without]
}

// ── the model ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export async function model({ settings: loaded, found }: Here, { cwd }: Places, prices: Catalog, env: NodeJS.ProcessEnv): Promise<Said[]> {
  const names = Object.keys(providerKeys(env, loaded.providers))
  const keys =
    names.length > 0
      ? ok('keys', names.join(', '))
      : note('keys', 'none is set', 'set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; --model script/demo works without')
  const profile = chooseProfile(found.profiles, loaded.profile ?? 'default')
  const named = profile.model ?? loaded.model ?? defaultModel(env)
  if (named === undefined) return [keys, note('model', 'none is chosen', 'a key chooses one; so do --model, and "model" in the settings')]
  try {
    const chosen = await chooseModel(named, { env, scripts: createScripts(cwd, builtInScripts), providers: loaded.providers })
    return [keys, priced(named, chosen.priceAs ?? named, prices)]
  } catch (error) {
    const text = (error as Error).message
    if (error instanceof MissingKeyError)
      return [keys, note('model', `${named}: ${text}`, 'set the key, or choose another model with --model')]
    return [keys, problem('model', `${named}: ${text}`, 'choose another one: --model, or "model" in the settings')]
  }
}

function priced(name: string, priceAs: string, prices: Catalog): Said {
  const known = prices.find(priceAs)
  if (known === undefined)
    return note(
      'model',
      `${name}: price and context limit are not known`,
      'costs are left out; sluice models --refresh fetches newer prices',
    )
  const context = known.context === undefined ? 'context limit not known' : `context ${countText(known.context)} tokens`
  return ok('model', `${name}: ${context}, prices known`)
}

// ── what else the agent has ──────────────────────────────────────────────────────────────────────────────────────────────

export async function servers(here: Here, places: Places, env: NodeJS.ProcessEnv): Promise<Said[]> {
  let session
  try {
    session = await connectHere(here, places, env)
  } catch (error) {
    return [problem('servers', (error as Error).message, 'set the variable, or take the server out of the settings')]
  }
  if (session === undefined) return [ok('servers', 'none in the settings')]
  try {
    const tools = session.tools()
    return session.status().map(({ name, status, error, note: more }) => {
      if (status === 'disabled') return ok(name, 'switched off in the settings')
      if (status !== 'connected') return problem(name, error ?? status, 'start it, mend its settings, or set "enabled": false')
      const count = plural(tools.filter(({ server }) => server === name).length, 'tool')
      return more === undefined ? ok(name, `connected, ${count}`) : note(name, `connected, ${count}; ${more}`)
    })
  } finally {
    await session.close()
  }
}

export function skills({ skills: { skills: found, problems }, found: profiles }: Here, { home }: Places): Said[] {
  const listed = found.slice(0, mostNamed).map(({ name }) => name)
  const rest = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : ''
  const bad = [...problems, ...profiles.problems].map(({ path, reason }) =>
    note('file', `${quoted(shortPath(path, home), 500)}: ${reason}`),
  )
  return [
    ok('skills', found.length === 0 ? 'none' : `${plural(found.length, 'skill')}: ${listed.join(', ')}${rest}`),
    ok('profiles', profiles.profiles.map(({ name }) => name).join(', ')),
    ...bad,
  ]
}
