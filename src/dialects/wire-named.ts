// A piece of schemas. Keys that are named are not unknown, and what stands behind them is nobody's business.
import Type from 'typebox'

/** Keys that are known to exist and that nobody reads. */
export const named = <const Key extends string>(keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, openKey])) as { [K in Key]: typeof openKey } // fromEntries forgets the keys
const openKey = Type.Optional(Type.Unknown())

/** For an object of which other records tell the same: whatever it has is known. */
export const withAny = { additionalProperties: {} }
