// The broker of permissions: takes what an agent asks and says what to do, by gates, rules, earlier "always" answers, or a person.
// It holds the session's answers and the open questions; it acts on nothing.
import { plural, quoted } from '../base/text.ts'
import type { Option, Payload } from '../model/event.ts'
import { isAllowing, isLasting, optionFor, optionLabels } from '../model/option.ts'
import type { Decider } from '../model/vocabulary.ts'
import type { Answer, Ask, PermissionRule } from './contract.ts'
import { gate, type Gates } from './gates.ts'
import { needsOf, type Need, type Scene } from './needs.ts'
import { formatRule, type Judgement } from './rules.ts'

export type { Scene } from './needs.ts'

export type BrokerSettings = {
  /** Of the profile that asks: merged, the weakest first (defaults, config, profile, session). */
  rulesFor(profile: string): readonly PermissionRule[]
  /** What a profile also denies to the subagents of its agent; all that it denies, unless said otherwise. */
  boundsFor?(profile: string): readonly PermissionRule[]
  scene: Scene
  gates?: Gates
  /** Tools that the user's config lists by name (for `--strict`). */
  listed?: ReadonlySet<string>
  /** Answers yes to what the rules leave open. */
  autoApprove?: boolean
  /** Somebody can be asked, now. */
  interactive(): boolean
}

/** An ask that is decided, with what the stream is to say about it. */
export type Settled = { ask: Ask; answer: Answer; events: readonly Payload<'permission.answer'>[] }

/** A question that a person must answer: `choose` with its id. */
export type Question = {
  ask: Ask
  request: Payload<'permission.request'>
  /** All that is asked about; the request names only what is of its own permission. */
  needs?: readonly Pick<Need, 'permission' | 'pattern'>[]
}

/** `option`: the id of an option of the question, or its kind. `text`: for the model. `input`: what the call is given instead. */
export type Reply = { option: string; by: Decider; text?: string; input?: Record<string, unknown>; stop?: boolean }

export type Broker = {
  decide(ask: Ask): Settled | Question
  /** What stands against a call whatever anybody would answer: a gate, or a rule that denies. Or that somebody must be asked. */
  against(ask: Ask): Settled | 'ask' | undefined
  /** The answered question first, then others that an "always" now covers. Empty when no such question is open. */
  choose(id: string, reply: Reply): Settled[]
  /** Closes a question without an answer: its turn ended, or its time ran out. */
  withdraw(id: string, decision: 'cancelled' | 'expired', by: Decider, text?: string): Settled | undefined
  /** Rules that "always" answers have made. */
  granted(): readonly PermissionRule[]
  open(): readonly Ask[]
}

type Judged = { need: Need; said: Judgement }
type Pending = { ask: Ask; needs: readonly Need[]; asked: readonly Judged[]; options: readonly Option[] }

export function createBroker(settings: BrokerSettings): Broker {
  const { rulesFor, boundsFor = rulesFor, scene, gates = {}, listed = new Set<string>(), autoApprove = false, interactive } = settings
  const granted: PermissionRule[] = []
  const pending = new Map<string, Pending>()

  /** An "always" of the session only turns an ask into an allow; a deny stays. */
  function judged(need: Need, { profile, above = [] }: Ask): Judged {
    const bound = above.map((name) => need.judge(boundsFor(name))).find(({ action }) => action === 'deny')
    const said = bound ?? need.judge(rulesFor(profile))
    const later = said.action === 'ask' && granted.length > 0 ? need.judge(granted) : said
    return { need, said: later.action === 'allow' ? later : said }
  }

  type Weighed = { settled: Settled } | { needs: readonly Need[]; all: readonly Judged[] }

  function weigh(ask: Ask): Weighed {
    if (ask.onlyNo !== undefined) return { settled: refused(ask, 'policy', ask.onlyNo, []) }
    const gated = gate(gates, { name: ask.name, changes: ask.changes, input: ask.input, listed })
    if (gated !== undefined && 'refuse' in gated) return { settled: refused(ask, 'policy', gated.refuse, []) }
    const needs = needsOf(ask, scene)
    if ('invalid' in needs)
      return { settled: refused(ask, 'policy', `The command was not run: ${needs.invalid}. Write it without them.`, []) }
    const all = needs.map((need) => judged(need, ask))
    const denied = all.filter(({ said }) => said.action === 'deny')
    if (denied.length > 0) return { settled: refused(ask, 'rule', deniedText(denied), denied) }
    if (gated !== undefined) return { settled: { ask, answer: { decision: 'allow', by: 'policy', instead: gated.instead }, events: [] } }
    return { needs, all }
  }

  function decide(ask: Ask): Settled | Question {
    const weighed = weigh(ask)
    if ('settled' in weighed) return weighed.settled
    const { needs, all } = weighed
    const asked = all.filter(({ said }) => said.action === 'ask')
    if (asked.length === 0 || autoApprove) return allowed(ask, all)
    if (!interactive()) return refused(ask, 'headless', headlessText(asked), asked)
    const request = requestOf(ask, asked)
    pending.set(ask.id, { ask, needs, asked, options: request.options })
    return { ask, request, needs: asked.map(({ need: { permission, pattern } }) => ({ permission, pattern })) }
  }

  function choose(id: string, reply: Reply): Settled[] {
    const found = pending.get(id)
    if (found === undefined) return []
    pending.delete(id)
    const chosen = chosenOf(found.options, reply.option)
    const isAllow = chosen !== undefined && isAllowing(chosen)
    const isOwn = found.ask.options !== undefined // what it allows for longer, the agent remembers itself
    const made = !isOwn && chosen?.kind === 'allow_always' ? alwaysRules(found.asked) : []
    granted.push(...made)
    const text = reply.text ?? (isAllow ? undefined : rejectedText(reply.by))
    const stop = reply.stop ?? (chosen?.kind === 'cancel' ? true : undefined)
    const spoken = { by: reply.by, ...(text === undefined ? {} : { text }), ...(stop === undefined ? {} : { stop }) }
    const decision = isAllow ? 'allow' : 'reject'
    const event: Payload<'permission.answer'> = {
      id,
      decision,
      ...(chosen === undefined ? {} : { option: chosen.id }),
      scope: chosen === undefined || !isLasting(chosen) ? 'once' : isOwn && chosen.kind !== 'allow_session' ? 'always' : 'session',
      ...spoken,
      ...subject(found.ask, found.asked),
      ...(made.length === 0 ? {} : { rules: made }),
    }
    const option = isOwn && chosen !== undefined ? { option: chosen.id } : {}
    const answer: Answer = { decision, ...option, ...spoken, ...(reply.input === undefined ? {} : { input: reply.input }) }
    return [{ ask: found.ask, answer, events: [event] }, ...(made.length === 0 ? [] : covered())]
  }

  /** Open questions to which the answer is known by now. */
  function covered(): Settled[] {
    const settled: Settled[] = []
    for (const [id, { ask, needs }] of pending) {
      const all = needs.map((need) => judged(need, ask))
      if (all.some(({ said }) => said.action !== 'allow')) continue
      pending.delete(id)
      const { answer, events } = allowed(ask, all)
      settled.push({ ask, answer, events: events.map((event) => ({ id, ...event })) })
    }
    return settled
  }

  function withdraw(id: string, decision: 'cancelled' | 'expired', by: Decider, text?: string): Settled | undefined {
    const found = pending.get(id)
    if (found === undefined) return undefined
    pending.delete(id)
    const spoken = { decision, by, ...(text === undefined ? {} : { text }) }
    return { ask: found.ask, answer: spoken, events: [{ id, ...spoken, ...subject(found.ask, found.asked) }] }
  }

  function against(ask: Ask): Settled | 'ask' | undefined {
    const weighed = weigh(ask)
    if ('settled' in weighed) return weighed.settled
    return weighed.all.some(({ said }) => said.action === 'ask') ? 'ask' : undefined
  }

  return { decide, against, choose, withdraw, granted: () => [...granted], open: () => [...pending.values()].map(({ ask }) => ask) }
}

function allowed(ask: Ask, all: readonly Judged[]): Settled {
  if (ask.options !== undefined && optionFor(ask.options, 'allow') === undefined) return refused(ask, 'policy', onlyForEverText, [])
  const events = groups(all.filter(({ need, said }) => need.quiet !== true || said.action !== 'allow')).map(
    (group): Payload<'permission.answer'> => {
      const by = group.some(({ said }) => said.action === 'ask') ? 'policy' : 'rule'
      return { decision: 'allow', by, ...offeredBy(ask, 'allow'), ...subject(ask, group), ...rulesOf(group) }
    },
  )
  const by = all.some(({ said }) => said.action === 'ask') ? 'policy' : 'rule'
  return { ask, answer: { decision: 'allow', by }, events }
}

/** `why`: the needs that were in the way; none, when it was not about them. */
function refused(ask: Ask, by: Decider, text: string, why: readonly Judged[]): Settled {
  const parts = why.length === 0 ? [subject(ask)] : groups(why).map((group) => ({ ...subject(ask, group), ...rulesOf(group) }))
  return {
    ask,
    answer: { decision: 'reject', by, text },
    events: parts.map((part) => ({ decision: 'reject', by, ...offeredBy(ask, 'reject'), ...part, text })),
  }
}

function requestOf(ask: Ask, asked: readonly Judged[]): Payload<'permission.request'> {
  const always = ask.options === undefined ? alwaysRules(asked) : []
  return {
    id: ask.id,
    ...subject(ask, asked),
    question: questionText(ask, asked),
    options: ask.options === undefined ? ownOptions(asked, always.length > 0) : [...ask.options],
    ...(always.length === 0 ? {} : { suggestions: always }),
    needsUser: true,
  }
}

function ownOptions(asked: readonly Judged[], isAlways: boolean): Option[] {
  const kinds = ['allow_once', ...(isAlways ? (['allow_always'] as const) : []), 'reject_once'] as const
  return kinds.map((kind) => ({ id: kind, kind, label: kind === 'allow_always' ? alwaysLabel(asked) : optionLabels[kind] }))
}

/** A yes for longer than is offered is one for this call; what else is not offered is a no. */
const chosenOf = (options: readonly Option[], word: string): Option | undefined =>
  optionFor(options, word) ?? (word === 'allow_always' ? optionFor(options, 'allow') : undefined)

/** Of what nobody was asked about: what the agent had offered, and which of it this is. */
function offeredBy({ options }: Ask, word: 'allow' | 'reject'): Pick<Payload<'permission.answer'>, 'option' | 'options'> {
  if (options === undefined) return {}
  const chosen = optionFor(options, word)
  return { ...(chosen === undefined ? {} : { option: chosen.id }), options: [...options] }
}

const onlyForEverText =
  'The agent does not offer to be allowed this call alone, and what allows for longer is only chosen by a person. The call was not made.'

type Subject = Pick<Payload<'permission.answer'>, 'name' | 'toolKind' | 'permission' | 'patterns' | 'input'>

/** Of the permission that the call itself needs, or else of the first that is in question. */
function subject(ask: Ask, judged: readonly Judged[] = []): Subject {
  const permission =
    judged.find(({ need }) => need.permission === ask.permission)?.need.permission ?? judged[0]?.need.permission ?? ask.permission
  const patterns =
    judged.length === 0 ? [...ask.patterns] : judged.filter(({ need }) => need.permission === permission).map(({ need }) => need.pattern)
  return { name: ask.name, toolKind: ask.toolKind, permission, patterns, input: ask.input }
}

const groups = (judged: readonly Judged[]): Judged[][] => [...Map.groupBy(judged, ({ need }) => need.permission).values()]

function rulesOf(judged: readonly Judged[]): { rules?: PermissionRule[] } {
  const found = [...new Set(judged.flatMap(({ said }) => said.rule ?? []))]
  return found.length === 0 ? {} : { rules: found }
}

/** All or nothing: an "always" that would ask again the next time is none. */
function alwaysRules(asked: readonly Judged[]): PermissionRule[] {
  const made = asked.flatMap(({ need }) =>
    need.always === undefined ? [] : [{ permission: need.permission, pattern: need.always, action: 'allow' as const }],
  )
  return made.length === asked.length ? [...new Map(made.map((rule) => [formatRule(rule), rule])).values()] : []
}

const rejectedText = (by: Decider): string =>
  by === 'headless' || by === 'timeout'
    ? 'Nobody answered whether this call is allowed, so it was not made. Go on without it.'
    : 'The user did not allow this call. Do not try it again in another way.'

const shown = 5 // needs that a text names

const needText = ({ permission, pattern, why }: Judged['need'], named: boolean): string =>
  `${named ? `${permission} ` : ''}${quoted(pattern, 200)}${why === undefined ? '' : ` (${why})`}`

const listNeeds = (judged: readonly Judged[], named = true): string =>
  [
    ...judged.slice(0, shown).map(({ need }) => needText(need, named)),
    ...(judged.length > shown ? [`${judged.length - shown} more`] : []),
  ].join(', ')

function alwaysLabel(asked: readonly Judged[]): string {
  const rules = alwaysRules(asked)
  if (rules.length > shown) return `Always allow these ${plural(rules.length, 'thing')}`
  return `Always allow ${rules.map(({ permission, pattern }) => `${permission} ${quoted(pattern)}`).join(', ')}`
}

/** What the call needs beside its own permission comes first: it is easily overlooked among many commands. */
function questionText(ask: Ask, asked: readonly Judged[]): string {
  const [beside = [], own = []] = [false, true].map((isOwn) => asked.filter(({ need }) => (need.permission === ask.permission) === isOwn))
  const isPlain = beside.length === 0 && ask.permission === ask.name
  return `Allow ${ask.name}: ${listNeeds([...beside, ...own], !isPlain)}?`
}

function deniedText(denied: readonly Judged[]): string {
  const { need, said } = denied[0]!
  return `Not allowed: the rule ${quoted(said.rule === undefined ? '' : formatRule(said.rule), 200)} denies ${need.permission} ${quoted(need.pattern, 200)}. Do not try it in another way.`
}

function headlessText(asked: readonly Judged[]): string {
  const rules = asked.map(({ need }) => formatRule({ permission: need.permission, pattern: need.always ?? '*', action: 'allow' }))
  const hints = [...new Set(rules)].slice(0, shown).map((rule) => `--permission ${shellQuote(rule)}`)
  return `This needs permission, and nobody can be asked in this run: ${listNeeds(asked)}. Go on without it, and tell the user that ${hints.join(' ')} would allow it.`
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
