// Models as Claude's hosts name them, as models of ours. SLUICE_MODEL stands for all of them: a host runs offline without a change.
type Environment = Readonly<Record<string, string | undefined>>

/** The short names, and the variables with which Claude Code lets one say what they mean. */
const shortNames: Readonly<Record<string, { id: string; variable: string }>> = {
  opus: { id: 'claude-opus-5-5', variable: 'ANTHROPIC_DEFAULT_OPUS_MODEL' },
  sonnet: { id: 'claude-sonnet-5', variable: 'ANTHROPIC_DEFAULT_SONNET_MODEL' },
  haiku: { id: 'claude-haiku-4-5', variable: 'ANTHROPIC_DEFAULT_HAIKU_MODEL' },
  fable: { id: 'claude-fable-5-1', variable: 'ANTHROPIC_DEFAULT_FABLE_MODEL' },
}

/** Undefined: the one that sluice's own settings name. */
export function modelOf(name: string | undefined, env: Environment): string | undefined {
  const always = env['SLUICE_MODEL']
  if (always) return always
  const wanted = name === undefined || name === 'default' || name === '' ? env['ANTHROPIC_MODEL'] : name
  if (!wanted || wanted === 'default') return undefined
  const plain = wanted.replace(/\[1m\]$/, '') // a longer context is not ours to switch
  const short = Object.hasOwn(shortNames, plain) ? shortNames[plain] : undefined
  const id = short === undefined ? plain : (env[short.variable] ?? short.id)
  return id.includes('/') ? id : `anthropic/${id}`
}

/** What a host can offer its user. */
export const modelInfos = (running: string, env: Environment): { value: string; displayName: string; description: string }[] => [
  { value: 'default', displayName: running, description: 'The model that this session began with' },
  ...Object.keys(shortNames).map((name) => ({ value: name, displayName: name, description: modelOf(name, env) ?? '' })),
]
