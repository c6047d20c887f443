// Optional keys may also hold `undefined`: every writer of ours drops such a key, so absent and undefined mean the same.
export type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { [K in keyof T]: undefined extends T[K] ? Loose<Exclude<T[K], undefined>> | undefined : Loose<T[K]> } & {}
    : T
