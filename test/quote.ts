// A word for a shell, whatever it holds: tests lie in folders with spaces too. Quotes can be nested, and `acp:COMMAND` reads them alike.
export const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
