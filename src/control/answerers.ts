// Several who can answer a question: all are asked, and the first answer counts.

/** `before`: to be awaited before the stream tells of the question. */
type Asked<Q, R> = {
  (question: Q, signal: AbortSignal): Promise<R | undefined>
  before?(question: Q, signal: AbortSignal): Promise<void>
}

/** Says undefined when all have. Who fails has nothing to say. */
export function firstOf<Q, R>(answerers: readonly Asked<Q, R>[]): Required<Pick<Asked<Q, R>, 'before'>> & Asked<Q, R> {
  const ask = (question: Q, signal: AbortSignal): Promise<R | undefined> =>
    new Promise((resolve) => {
      const asked = answerers.map((answerer) =>
        answerer(question, signal).then(
          (reply) => (reply === undefined ? undefined : resolve(reply)),
          () => undefined,
        ),
      )
      void Promise.all(asked).then(() => resolve(undefined))
    })
  const before = async (question: Q, signal: AbortSignal): Promise<void> => {
    for (const answerer of answerers) await answerer.before?.(question, signal)
  }
  return Object.assign(ask, { before })
}
