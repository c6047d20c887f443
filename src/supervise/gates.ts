// The gates of a run: read-only, dry run, strict. They stand before the rules, and no rule or answer lifts them.
import { quoted } from '../base/text.ts'

export type Gates = { readOnly?: boolean; dryRun?: boolean; strict?: boolean }

export type GatedCall = {
  name: string
  /** The call may change something outside the conversation. */
  changes: boolean
  input: unknown
  /** The tools that the user's config lists by name. */
  listed: ReadonlySet<string>
}

export type Gated = { refuse: string } | { instead: { dry_run: true; tool: string; arguments: unknown } }

/** Undefined: no gate is in the way. */
export function gate(gates: Gates, { name, changes, input, listed }: GatedCall): Gated | undefined {
  if (gates.strict === true && !listed.has(name)) {
    return {
      refuse: `The tool ${quoted(name)} is not listed in the config, and this run is strict (--strict). Use one of the listed tools.`,
    }
  }
  if (!changes) return undefined
  if (gates.readOnly === true) {
    return { refuse: `The tool ${quoted(name)} may change something, and this run is read-only (--read-only). Go on without it.` }
  }
  return gates.dryRun === true ? { instead: { dry_run: true, tool: name, arguments: input } } : undefined
}
