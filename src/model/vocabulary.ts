// The closed word lists of the canonical event. Plain data: safe to import anywhere, also where schemas are too heavy.

export const modelVersion = 1

/** Why one model call, a turn, a phase, a run or a session came to its end. */
export const reasons = [
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'refusal',
  'cancelled',
  'error',
  'cut', // a model call ends with one of these
  'max_turns',
  'budget',
  'context',
  'timeout',
  'stall',
  'cancelled_forced',
  'degenerate',
  'blocked',
  'exit',
  'abort',
  'max_iterations',
  'phase_failure',
  'unknown',
] as const
export type Reason = (typeof reasons)[number]

export const toolKinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'fetch',
  'think',
  'task',
  'plan',
  'skill',
  'question',
  'mode',
  'other',
] as const
export type ToolKind = (typeof toolKinds)[number]

/** The agent's own word for how a call ended; `toolFailed` says what really happened. */
export const toolStatuses = ['ok', 'error', 'denied', 'cancelled', 'abandoned'] as const
export type ToolStatus = (typeof toolStatuses)[number]

export const faultCategories = [
  'rate_limit',
  'auth',
  'timeout',
  'oom',
  'provider',
  'overloaded',
  'context',
  'billing',
  'network',
  'invalid',
  'cancelled',
  'unknown',
] as const
export type FaultCategory = (typeof faultCategories)[number]

export const optionKinds = ['allow_once', 'allow_session', 'allow_always', 'reject_once', 'reject_always', 'cancel'] as const
export type OptionKind = (typeof optionKinds)[number]

export const decisions = ['allow', 'reject', 'cancelled', 'withdrawn', 'expired'] as const
export type Decision = (typeof decisions)[number]

/** Who decided a permission question. */
export const deciders = [
  'user',
  'host',
  'policy',
  'rule',
  'mode',
  'hook',
  'headless',
  'timeout',
  'agent',
  'control',
  'file',
  'terminal',
  'unknown',
] as const
export type Decider = (typeof deciders)[number]

export const phases = ['starting', 'thinking', 'working', 'waiting', 'idle', 'done'] as const
export type Phase = (typeof phases)[number]

/**
 * Why sluice added an event itself: the source implies it, the stream ended before it, a dialect cannot do without it,
 * or a repair put it there (and says where it was missing). Policies say `policy:<name>`.
 */
export type Synthetic = 'implied' | 'cut' | 'required' | `repair: ${string}` | `policy:${string}`
