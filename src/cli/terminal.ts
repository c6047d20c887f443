// What the terminal at the other end of stdout can do. A pipe, NO_COLOR, TERM=dumb and CI get plain text.
import { isTerminal } from './io.ts'

const widest = 120 // longer lines are hard to read, however wide the window
const usual = 80

type Out = { isTTY?: boolean; columns?: number }
export type Screen = { width: number; colour: boolean }

export function screenOf(env: NodeJS.ProcessEnv = process.env, out: Out = isTerminal(1) ? process.stdout : {}): Screen {
  const columns = out.columns || Number(env['COLUMNS']) || usual // a terminal may say that it has none
  const refused = isSet(env['NO_COLOR']) || isPlain(env)
  const forced = isSet(env['FORCE_COLOR']) && env['FORCE_COLOR'] !== '0'
  return { width: Math.max(20, Math.min(widest, columns)), colour: forced || (out.isTTY === true && !refused) }
}

/** Nothing is to be written over. */
export const isPlain = (env: NodeJS.ProcessEnv = process.env): boolean => env['TERM'] === 'dumb' || isSet(env['CI'])

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== 'false'
