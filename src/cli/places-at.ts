// The places that count in a folder that the user names.
import { resolve } from 'node:path'
import { quoted } from '../base/text.ts'
import { type Places, placesOf } from '../config/places.ts'
import { hasCode, systemReason, usageError } from './exit.ts'

/** The folder that one stands in may have been removed. */
export function placesAt(folder: string): Places {
  try {
    return placesOf(resolve(folder))
  } catch (error) {
    throw usageError(`cannot look into ${quoted(folder, 500)}: ${hasCode(error, 'ENOTDIR') ? 'it is not a folder' : systemReason(error)}`)
  }
}
