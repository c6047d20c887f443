// The user's home folder.
import { userInfo } from 'node:os'
import { isAbsolute } from 'node:path'

/** A relative or empty HOME counts for nothing: it would lead into whatever project one works in. The system knows the user's folder. */
export function homeOf({ HOME: named = '' }: Readonly<Record<string, string | undefined>>): string {
  if (isAbsolute(named)) return named
  try {
    return userInfo().homedir || '/'
  } catch {
    return '/' // the system does not know the user, as in many containers
  }
}
