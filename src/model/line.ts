// An event as its line of JSON. Several write the same event one after another, and to make its text costs more than all else that
// they do with it: it is made once.
import { stringifyJson } from '../base/json.ts'
import type { Event } from './event.ts'

let last: Event | undefined
let seq = 0 // it had when its text was made: a stream that takes it over numbers it anew
let text = ''

/** For events that have their place in a stream: nothing but their number may change any more. */
export function jsonOf(event: Event): string {
  if (event === last && event.seq === seq) return text
  text = stringifyJson(event)
  last = event
  seq = event.seq
  return text
}
