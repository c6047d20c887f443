// Programs that reach other machines, without a program of this one that an option names.
import type { Harmless } from './harmless.ts'

const connection = new RegExp(
  `^["\\s]*(${`StrictHostKeyChecking ConnectTimeout ConnectionAttempts BatchMode ServerAliveInterval ServerAliveCountMax LogLevel Port User HostName
  IdentitiesOnly PasswordAuthentication PubkeyAuthentication PreferredAuthentications ForwardAgent ForwardX11 Compression UserKnownHostsFile
  GlobalKnownHostsFile IdentityFile AddressFamily TCPKeepAlive ControlMaster ControlPersist ControlPath ExitOnForwardFailure RequestTTY HashKnownHosts
  UpdateHostKeys NumberOfPasswordPrompts GSSAPIAuthentication KbdInteractiveAuthentication ProxyJump SendEnv VisualHostKey CheckHostIP`
    .split(/\s+/)
    .join('|')})\\s*[= ]\\s*[\\w./:@,~%+-]*"?$`,
  'i',
)
const noSettings = /^(\/dev\/null|none)$/
const connecting = { '-o': connection, '-F': noSettings, '-J': /^[\w.@:,[\]-]+$/ }

/** Not another scheme, such as `file:` or `scp:`. */
const page = /^(https?:\/\/|(?![\w+.-]+:\/\/)(localhost|\[::1?\]|[\w-]+(\.[\w-]+)+)(:\d+)?([/?#]|$))/i

/** With `file`, the other side may choose a file of this one. */
const webOnly = /^=?https?(,=?https?)*$/

export const network: Record<string, Harmless> = {
  curl: {
    options: `-s -S -L -f -k -v -i -I -g -G -N -Z -j -4 -6 -0 -1 -2 -a -l -h -V -# -X: -H: -d: -F: -A: -e: -u: -b: -m: -w: -r: -y: -Y: -C: -z: -t: -o> -c> -D> --silent
      --show-error --location --fail --fail-with-body --insecure --verbose --include --head --globoff --get --no-buffer --buffer --parallel --request=
      --header= --data= --data-raw= --data-binary= --data-urlencode= --data-ascii= --json= --form= --form-string= --user-agent= --referer= --user=
      --cookie= --cookie-jar> --dump-header> --output> --max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time= --retry-connrefused
      --retry-all-errors --compressed --ipv4 --ipv6 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --write-out= --range= --noproxy=
      --resolve= --cacert= --limit-rate= --max-redirs= --max-filesize= --proto= --proto-redir= --tlsv1.2 --tlsv1.3 --basic --digest --oauth2-bearer=
      --progress-bar --no-progress-meter --progress-meter --path-as-is --keepalive --location-trusted --post301 --post302 --url= --stderr> --create-dirs
      --continue-at= --speed-time= --speed-limit= --styled-output --tcp-nodelay --version --help`,
    operands: page,
    values: {
      '--url': page,
      '--proto': webOnly,
      '--proto-redir': webOnly,
      '-o': /^[^#]*$/,
      '--output': /^[^#]*$/,
      '-w': /^([^@%][^%]*)?(%(\{[\w.:-]+\}|header\{[\w-]+\}|%)[^%]*)*$/,
      '--write-out': /^([^@%][^%]*)?(%(\{[\w.:-]+\}|header\{[\w-]+\}|%)[^%]*)*$/,
    },
  },
  wget: {
    options: `-q -v -c -N -S -r -k -K -p -E -H -L -x -m -4 -6 -d -h -V -n: -O> -P: -T: -t: -U: -l: -A: -R: -D: -I: -X: -Q: -w: -o> -a> -e: --quiet --verbose --continue --timestamping
      --server-response --recursive --convert-links --page-requisites --mirror --no-parent --no-clobber --no-verbose --no-directories
      --no-host-directories --no-check-certificate --timeout= --tries= --wait= --user-agent= --header= --spider --output-document> --directory-prefix=
      --output-file> --append-output> --progress= --show-progress --level= --accept= --reject= --domains= --max-redirect= --content-disposition
      --post-data= --method= --body-data= --limit-rate= --retry-connrefused --waitretry= --random-wait --cut-dirs= --adjust-extension --span-hosts
      --no-cache --no-cookies --no-hsts --no-proxy --inet4-only --inet6-only --https-only --compression= --referer= --version --help`,
    operands: page,
    values: { '-n': /^[cvpdH]$/, '-e': /^robots=off$/ },
  },
  ssh: {
    options: '-4 -6 -A -a -C -f -G -g -K -k -N -n -q -s -T -t -V -v -X -x -Y -y -p: -l: -i: -J: -L: -R: -D: -b: -c: -m: -o: -F: -E>',
    values: connecting,
    operands: /^[^-]/,
    ends: 2, // it takes options behind the host, too
  },
  scp: { options: '-3 -4 -6 -A -B -C -p -q -r -T -v -O -R -s -P: -i: -J: -l: -c: -o: -F:', values: connecting },
  nc: { options: '-z -v -u -l -n -k -d -N -r -t -4 -6 -w: -p: -s: -i: -q: -X:' },
  'ssh-keygen': { options: '-l -y -F: -R: -H -t: -b: -C: -f: -N: -E: -v -q -B -e -i -m: -p' },
}
