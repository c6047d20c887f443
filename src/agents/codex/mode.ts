// How freely Codex may work, in its own two words: what its sandbox lets commands do, and when it asks for more. A mode names one of them
// or both (`read-only+never`), and the other keeps its default. Without a mode it asks for all that its sandbox does not allow.
import type { Rec } from '../../base/json.ts'
import type { Guard } from '../guard.ts'

export type Sandbox = 'read-only' | 'workspace-write' | 'danger-full-access'
export type Approval = 'untrusted' | 'on-request' | 'never'
export type Mode = { sandbox: Sandbox; approval: Approval }

/** From strict to free. */
const sandboxes: readonly Sandbox[] = ['read-only', 'workspace-write', 'danger-full-access']
const approvals: readonly Approval[] = ['untrusted', 'on-request', 'never']

const usual: Mode = { sandbox: 'workspace-write', approval: 'on-request' }

/** What Codex's own menu calls its choices. */
const menu: Readonly<Record<string, Mode>> = {
  default: usual,
  auto: usual,
  'full-access': { sandbox: 'danger-full-access', approval: 'never' },
}

/** A text says what is wrong with the words. */
export function modeOf(words: string | undefined): Mode | string {
  if (words === undefined) return usual
  if (Object.hasOwn(menu, words)) return menu[words]!
  const mode = { ...usual }
  for (const word of words.split('+')) {
    const sandbox = sandboxes.find((known) => known === word)
    const approval = approvals.find((known) => known === word)
    if (sandbox !== undefined) mode.sandbox = sandbox
    else if (approval !== undefined) mode.approval = approval
    else
      return `Codex has no mode "${words}"; name a sandbox (${sandboxes.join(', ')}), when it asks (${approvals.join(', ')}), or both, joined by +`
  }
  return mode
}

/** The stricter of two, word by word: a person's settings may forbid more than the default does. */
export const stricter = (mode: Mode, { sandbox_mode: sandbox, approval_policy: approval }: Rec): Mode => ({
  sandbox: first(sandboxes, mode.sandbox, sandbox),
  approval: first(approvals, mode.approval, approval),
})

/** So that a gate holds: a read-only sandbox, and a question before all that is not known to be harmless. */
export const guarded = (mode: Mode, guard: Guard | undefined): Mode =>
  guard === undefined ? mode : stricter(mode, { approval_policy: 'untrusted', ...(guard === 'read-only' && { sandbox_mode: 'read-only' }) })

const first = <Word extends string>(words: readonly Word[], own: Word, other: unknown): Word =>
  words.find((word) => word === own || word === other) ?? own

/** As a thread is started with it. Questions come to us: no model answers in our place. */
export const threadSettings = ({ sandbox, approval }: Mode): Rec => ({ approvalPolicy: approval, sandbox, approvalsReviewer: 'user' })

/** As a turn changes it, for itself and all that follow. */
export const turnSettings = ({ sandbox, approval }: Mode): Rec => ({ approvalPolicy: approval, sandboxPolicy: policies[sandbox] })

const policies: Readonly<Record<Sandbox, Rec>> = {
  'read-only': { type: 'readOnly', networkAccess: false },
  'workspace-write': {
    type: 'workspaceWrite',
    writableRoots: [],
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  },
  'danger-full-access': { type: 'dangerFullAccess' },
}
