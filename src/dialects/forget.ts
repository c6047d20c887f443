// A map that must not grow for ever: of many entries, one that may go is forgotten for each that comes.

/** More than come: those that may go are found in the end. */
const mostLooked = 8

/**
 * Forgets the next entry that may go, if one of the next few may. It goes round: to look through all of them for each new one would take the
 * square of the time where none may go.
 */
export function createForgetter<Key, Value>(all: Map<Key, Value>, mayGo: (value: Value) => boolean): () => void {
  let next = all.entries()
  return () => {
    for (let looked = 0; looked < mostLooked; looked++) {
      const { value, done } = next.next()
      if (done === true) next = all.entries()
      else if (mayGo(value[1])) return void all.delete(value[0])
    }
  }
}
