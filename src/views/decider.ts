// Who has decided, in words that follow a decision.

export const deciderText = (by: string | undefined): string =>
  by === undefined || by === 'unknown' ? '' : by === 'headless' ? ' (nobody to ask)' : ` by ${by}`
