// Files that hold keys and passwords: one table, from which both the test of a path and the globs for a search are made.
import { overlap } from '../base/wildcard.ts'
import { matches } from './rules.ts'
import { mayHide, widened } from './shell-glob.ts'

/** Matched against the end of a path, segment by segment; `*` stays within a segment's name. All lower case. */
const secret = [
  '.env',
  '.env.*',
  '.envrc',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.git-credentials',
  '.dockercfg',
  '.docker/config.json',
  '.pgpass',
  '.my.cnf',
  '.htpasswd',
  '.vault-token',
  '.boto',
  '.s3cfg',
  '.terraformrc',
  'terraform.tfstate',
  'terraform.tfstate.backup',
  '*.tfvars',
  '.aws/credentials',
  '.aws/config',
  '.azure/*',
  '.config/gcloud/*',
  '.config/gh/hosts.yml',
  '.config/hub',
  '.config/rclone/rclone.conf',
  '.kube/config',
  '.gem/credentials',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.m2/settings.xml',
  '.gnupg/*',
  '.password-store/*',
  '.ssh/*',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ecdsa_sk',
  'id_ed25519',
  'id_ed25519_sk',
  '*.pem',
  '*.key',
  '*.p8',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  '*.ovpn',
  'credentials.json',
  'application_default_credentials.json',
  'client_secret*.json',
  'service-account*.json',
  'service_account*.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.config/sluice/*',
  'share/sluice/token*',
  'sluice/*.token',
  'sluice/*.sock',
  'sluice-*/*.token',
  'sluice-*/*.sock',
  '*.req.response',
  'etc/shadow',
  'etc/shadow-',
  'etc/gshadow',
  'etc/gshadow-',
  'proc/*/environ',
  'proc/*/mem',
  'proc/*/cmdline',
] as const

/** Names that the table hits and that hold no secret. */
const harmless = ['.env.example', '.env.sample', '.env.template', '.env.dist', '.env.defaults', '.ssh/known_hosts', '.ssh/*.pub']

/** For ripgrep (`--iglob`): what a search leaves out. The harmless ones go too, since a glob that takes files in leaves all others out. */
export const secretGlobs: readonly string[] = secret.map((pattern) => `!**/${pattern}${pattern.endsWith('/*') ? '*' : ''}`)

const split = (pattern: string): string[] => pattern.split('/')
const secrets = secret.map(split)
const exceptions = harmless.map(split)

/** Of a path; or, of a shell pattern, whether it may stand for one. */
export function isSecretFile(path: string, isGlob = false): boolean {
  const segments = path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
  const fits = (pattern: readonly string[]): boolean => endsWith(segments, pattern, isGlob)
  return secrets.some(fits) && (isGlob || !exceptions.some(fits))
}

/** A pattern of a program that says at least half of the name of such a file. */
export function isMadeForSecret(path: string): boolean {
  const last = widened(path.slice(path.lastIndexOf('/') + 1).toLowerCase())
  const said = last.replaceAll(/[*?]/g, '').length
  if (said === last.length) return false
  const names = secret.filter((name) => !name.includes('/')).map((name) => name.replaceAll('*', ''))
  return names.some((name) => said * 2 >= name.length && matches(last, name))
}

/** A pattern whose last segment is a bare star stands for a folder: all that lies below it, however deep. */
function endsWith(segments: readonly string[], pattern: readonly string[], isGlob: boolean): boolean {
  const deep = pattern.length > 1 && pattern.at(-1) === '*'
  const last = segments.length - pattern.length
  for (let start = deep ? 0 : last; start <= last; start++) {
    if (start >= 0 && pattern.every((wanted, index) => segmentFits(segments[start + index]!, wanted, isGlob))) return true
  }
  return false
}

function segmentFits(segment: string, wanted: string, isGlob: boolean): boolean {
  if (!isGlob) return matches(wanted, segment)
  return !mayHide(segment, wanted) && overlap(wanted, widened(segment))
}
