// Why a run cannot begin as it was asked for: the request or the settings are wrong. The message says what to do.
export class RequestError extends Error {
  override readonly name = 'RequestError'
}
