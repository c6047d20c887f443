// What can go wrong with a log, by a bounded `code`. Messages say what to do.

type Code = 'log-failed' | 'run-taken' | 'session-taken' | 'not-found' | 'bad-cursor' | 'bad-id' | 'damaged' | 'not-ours'

export class LogError extends Error {
  override readonly name: string = 'LogError'
  readonly code: Code
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Final: a write or sync that failed is never tried again. */
export class LogFailed extends LogError {
  override readonly name = 'LogFailed'
  constructor(cause: unknown) {
    super('log-failed', `the log cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Another run works in the session. */
export class SessionTaken extends LogError {
  override readonly name = 'SessionTaken'
  constructor(session: string, run: string, why = 'that has not ended') {
    super(
      'session-taken',
      `session ${JSON.stringify(session)} is in use by run ${JSON.stringify(run)}, ${why}; wait for its end, or add --fork to go on from a copy`,
    )
  }
}
