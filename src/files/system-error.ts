// Errors of the system in words for people.
const reasons: Record<string, string> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ERR_FS_EISDIR: 'it is a folder',
  ENOTDIR: 'its path goes through something that is not a folder',
  ELOOP: 'its links lead in a circle',
  ENXIO: 'it is a socket, or a device that is not there',
  ENAMETOOLONG: 'its name is too long',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
  ENOSPC: 'no space left on the device',
  EIO: 'input/output error',
  EDQUOT: 'the disk quota is used up',
}

export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return reasons[code] ?? systemWords(error.message) ?? error.message
}

/** The words in `ECODE: words, call 'path'`: whoever asks names the path. */
const systemWords = (message: string): string | undefined => /^E[A-Z0-9]+: (.+?), \w+(?: '.*')?$/s.exec(message)?.[1]

export const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code
