// Programs that find, sort, pack and show files, without running another program and without writing where nobody looks.
import type { Harmless } from './harmless.ts'

const compressor = /^(gzip|pigz|bzip2|pbzip2|lbzip2|xz|pixz|lzma|lzip|plzip|lz4|zstd|zstdmt|unzstd|brotli)( -[\w=-]+)*$/

/** A colon in the name of an archive stands behind a host, which is reached by another program. */
const local = /^[^:]*$/

/** None of their plug-ins. What they write is named among their operands, or by `-o`. */
const binutils: Record<string, Harmless> = Object.fromEntries(
  Object.entries({
    nm: '-a -A -C -D -g -l -n -p -r -S -u -f: -t: --demangle? --dynamic --defined-only --undefined-only --extern-only --size-sort --numeric-sort --print-size',
    strip: '-s -g -S -d -x -X -o> -v -p --strip-all --strip-debug --strip-unneeded',
    ranlib: '-D -U',
    objdump: `-d -D -S -s -t -T -r -R -x -h -f -p -C -l -w -a -z -j: -M: -b: -m: --disassemble? --disassemble-all --source --syms --dynamic-syms --section=
      --section-headers --headers --full-contents --demangle? --no-show-raw-insn --start-address= --stop-address= --private-headers --all-headers`,
    objcopy:
      '-S -g -x -v -p -j: -R: -O: -I: -B: --strip-all --strip-debug --strip-unneeded --only-section= --remove-section= --only-keep-debug',
    readelf:
      '-a -h -l -S -s -d -r -n -e -W -V -A -u -g -t -x: -p: --all --file-header --program-headers --sections --syms --dynamic --relocs --notes --wide',
    size: '-A -B -d -o -x -t --format= --totals',
    strings: '-a -d -f -w -n: -t: -e: -o -# --all --bytes= --radix= --encoding= --print-file-name',
    addr2line: '-e: -a -f -s -i -p -C -j: --exe= --functions --inlines --demangle? --basenames --pretty-print',
    'c++filt': '-n -i -t -p -_ -s: --no-params --types',
    as: '-o> -g -I: --32 --64 --gdwarf-5 --noexecstack',
  }).map(([name, options]) => [name, { options: `${options} -V --version --help`, hasOptionFiles: true }]),
)
binutils['ar'] = { isBundled: true, hasOptionFiles: true, options: '-r -c -s -t -x -d -p -q -u -v -D -U' }

/** Engines, providers and settings are libraries of its own choice. */
const openssl: Harmless = {
  isWordStyle: true,
  options: `-in: -out> -inform: -outform: -noout -text -subject -issuer -dates -enddate -startdate -serial -fingerprint -pubkey -hash -modulus -ext: -checkend:
    -hex -base64 -binary -r -c -d -e -a -A -n -md5 -sha1 -sha224 -sha256 -sha384 -sha512 -sha3-256 -blake2b512 -hmac: -aes-128-cbc -aes-256-cbc -pbkdf2
    -iter: -salt -nosalt -days: -subj: -addext: -newkey: -nodes -noenc -x509 -new -key: -keyout> -CAfile: -CApath: -untrusted: -purpose: -connect: -servername:
    -showcerts -brief -tls1_2 -tls1_3 -alpn: -starttls: -verify_return_error -algorithm: -pkeyopt: -pubin -pubout -check -traditional -passwd -help`,
  operands: /^(?!.*[=]).*$/,
}
const opensslCommands = `version rand dgst md5 sha1 sha256 sha512 x509 req verify base64 enc genrsa genpkey rsa pkey ec ecparam s_client prime crl asn1parse passwd speed list help`

export const files: Record<string, Harmless> = {
  tar: {
    isBundled: true,
    options: `-cxtruvzjJZakpmowhSsOUdA -f: -C: -X: -b: -I: --create --extract --get --list --append --update --diff --compare --file=
      --directory= --gzip --gunzip --ungzip --bzip2 --xz --zstd --lzma --lzip --auto-compress --verbose --exclude= --exclude-vcs --exclude-vcs-ignores
      --exclude-from= --exclude-caches --strip-components= --same-owner --same-permissions --preserve-permissions --keep-old-files
      --skip-old-files --keep-newer-files --overwrite --overwrite-dir --unlink-first --wildcards --wildcards-match-slash --anchored --recursion
      --owner= --group= --mode= --mtime= --sort= --numeric-owner --format= --checkpoint? --checkpoint-action= --totals --to-stdout --remove-files
      --dereference --hard-dereference --ignore-failed-read --warning= --one-file-system --use-compress-program= --acls --xattrs --selinux --touch
      --sparse --posix --clamp-mtime --newer= --record-size= --occurrence --version --help`,
    values: {
      '-f': local,
      '--file': local,
      '-I': compressor,
      '--use-compress-program': compressor,
      '--checkpoint-action': /^(\.|dot|echo|bell|ttyout|totals|sleep|wait)(=|$)/,
    },
  },
  find: {
    isWordStyle: true,
    options: `-H -L -P -O? -daystart -follow -nowarn -warn -regextype: -depth -d -maxdepth: -mindepth: -mount -noleaf -xdev -x -amin: -anewer: -atime: -cmin:
      -cnewer: -ctime: -empty -false -true -fstype: -gid: -group: -ilname: -iname: -inum: -iwholename: -iregex: -links: -lname: -mmin: -mtime: -name:
      -newer: -newermt: -newerct: -newerat: -newermm: -nouser -nogroup -path: -ipath: -perm: -regex: -readable -writable -executable -wholename:
      -size: -type: -uid: -used: -user: -xtype: -samefile: -delete -print -print0 -printf: -ls -prune -quit -not -a -and -o -or -E -s -help -version
      -fprint> -fprint0> -fls> -fprintf> -exec -execdir -ok -okdir`,
    also: /^-O\d$/,
    values: { '-perm': /^[-/]?[\w,+=-]+$/ },
  },
  fd: {
    options: `-H -I -u -s -i -g -F -a -l -L -p -0 -1 -q -c: -t: -e: -E: -d: -j: -S: -o: --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive
      --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow --full-path --print0 --type= --extension= --exclude=
      --max-depth= --min-depth= --exact-depth= --threads= --size= --changed-within= --changed-before= --owner= --color= --max-results= --quiet --prune
      --base-directory= --strip-cwd-prefix? --one-file-system --version --help --and= --search-path=`,
  },
  rg: {
    options: `-A: -B: -C: -E: -F -H -I -L -M: -N -P -S -T: -U -V -a -b -c -d: -e: -f: -g: -h -i -j: -l -m: -n -o -p -q -r: -s -t: -u -v -w -x -z -0
      --after-context= --before-context= --context= --auto-hybrid-regex --binary --block-buffered --byte-offset --case-sensitive --color= --colors=
      --column --context-separator= --count --count-matches --crlf --debug --dfa-size-limit= --encoding= --engine= --field-context-separator=
      --field-match-separator= --file= --files --files-with-matches --files-without-match --fixed-strings --follow --glob= --glob-case-insensitive
      --heading --help --hidden --iglob= --ignore-case --ignore-file= --include-zero --invert-match --json --line-buffered --line-number
      --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= --max-filesize= --mmap --multiline --multiline-dotall
      --no-config --no-filename --no-heading --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-ignore-global --no-line-number
      --no-messages --null --null-data --one-file-system --only-matching --path-separator= --passthru --pcre2 --pretty --quiet --regex-size-limit=
      --regexp= --replace= --smart-case --sort= --sortr= --stats --stop-on-nonmatch --text --threads= --trim --type= --type-add= --type-clear=
      --type-list --type-not= --unicode --unrestricted --version --vimgrep --with-filename --word-regexp --search-zip`,
  },
  sort: {
    options: `-b -d -f -g -i -M -h -n -R -r -V -u -z -s -m -c -C -k: -t: -S: -T: -o> --ignore-leading-blanks --dictionary-order --ignore-case
      --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --unique
      --zero-terminated --stable --merge --check? --key= --field-separator= --buffer-size= --temporary-directory= --parallel= --output> --debug
      --sort= --version --help --batch-size=`,
  },
  shuf: { options: '-e -z -r -n: -i: -o> --echo --zero-terminated --repeat --head-count= --input-range= --output> --version --help' },
  split: {
    options: `-l: -b: -C: -n: -a: -t: -d -x -e -u --lines= --bytes= --line-bytes= --number= --suffix-length= --numeric-suffixes? --hex-suffixes?
      --additional-suffix= --elide-empty-files --separator= --verbose --unbuffered --version --help`,
  },
  iconv: { options: '-f: -t: -c -s -l -o> --from-code= --to-code= --list --silent --output> --version --help' },
  tree: {
    options: `-a -d -f -i -l -x -C -n -q -N -Q -p -u -g -s -h -D -F -r -t -c -U -v -S -A -J -X -L: -P: -I: -o> -H: --dirsfirst --filesfirst --gitignore --prune
      --matchdirs --ignore-case --noreport --charset= --filelimit= --du --si --inodes --device --sort? --version --help --fromfile --timefmt= --info`,
  },
  uniq: {
    options: `-c -d -D -i -u -z -f: -s: -w: -# --count --repeated --all-repeated? --ignore-case --unique --zero-terminated --skip-fields= --skip-chars=
      --check-chars= --group? --version --help`,
    writesSecond: true,
  },
  xxd: { options: '-a -b -e -i -p -r -u -E -C -d -h -v -c: -g: -l: -o: -s: -n:', writesSecond: true },
  less: { options: '-a -e -E -f -F -g -i -I -J -M -m -n -N -q -Q -r -R -s -S -u -w -W -X -x: -#', operands: /^[^+]/ },
  openssl: { isWordStyle: true, isApart: true, commands: Object.fromEntries(opensslCommands.split(' ').map((name) => [name, openssl])) },
  man: {
    operands: /^[\w.:+@-]+$/,
    options: '-a -f -k -w -W -P: --all --apropos --whatis --where --path --pager=',
    values: { '-P': /^(cat|less)$/, '--pager': /^(cat|less)$/ },
  },
  bat: {
    options: `-p -P -n -A -u -f -d -l: -r: -H: -m: --plain --number --show-all --style= --language= --line-range= --highlight-line= --paging= --color=
      --decorations= --theme= --wrap= --tabs= --list-languages --list-themes --file-name= --pager= --terminal-width= --diff --version --help`,
    values: { '--pager': /^(cat|less)$/ },
  },
  ...binutils,
  zip: {
    options: '-r -q -j -y -X -u -v -o -x -i -e -l -h -#',
    also: /^--(recurse-paths|quiet|junk-paths|symlinks|exclude|include|update)$/,
  },
  patch: {
    options: `-p: -i: -R -N -s -b -u -f -t -E -l -d: -z: -V: -r> -o> --strip= --input= --reverse --forward --silent --quiet --backup --unified --force --batch
      --remove-empty-files --ignore-whitespace --directory= --dry-run --verbose --no-backup-if-mismatch --merge? --reject-file> --output> --fuzz= --binary`,
  },
  install: {
    options: `-m: -o: -g: -t: -S: -d -D -v -T -C -p -b -c --mode= --owner= --group= --target-directory= --directory --verbose --no-target-directory --compare
      --preserve-timestamps --backup? --suffix=`,
  },
  rsync: {
    options: `-a -v -z -r -l -L -k -K -p -t -o -g -D -h -n -u -c -P -q -H -A -X -S -x -R -W -i -m -b -d -O -J -E -0 -C -4 -6 -e: -f: --archive --verbose --compress --recursive
      --links --copy-links --perms --times --owner --group --human-readable --dry-run --update --checksum --partial --progress --quiet --hard-links
      --sparse --one-file-system --relative --whole-file --itemize-changes --prune-empty-dirs --backup --dirs --delete --delete-before
      --delete-during --delete-after --delete-delay --delete-excluded --force --exclude= --include= --exclude-from= --include-from= --info= --stats
      --size-only --ignore-existing --existing --ignore-times --bwlimit= --max-size= --min-size= --chmod= --chown= --mkpath --inplace --append
      --append-verify --timeout= --contimeout= --backup-dir= --suffix= --link-dest= --compare-dest= --copy-dest= --port= --compress-level= --safe-links
      --ignore-errors --max-delete= --numeric-ids --executability --modify-window= --partial-dir= --out-format= --log-file> --rsh= --list-only
      --cvs-exclude --protect-args --version --help --implied-dirs`,
    values: {
      '-e': /^ssh( -([46CTqv]|[pl] ?[\w.-]+|i ?[\w./~-]+))*$/,
      '--rsh': /^ssh( -([46CTqv]|[pl] ?[\w.-]+|i ?[\w./~-]+))*$/,
      '-f': /^[-+] [^ ]+$/,
    },
  },
  sed: {
    script: 'sed',
    options: `-n -E -r -s -u -z -b -e: -l: -i? --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression= --line-length= --in-place?
      --posix --debug --sandbox --binary --follow-symlinks --version --help`,
    values: { '-i': /^[\w.~-]*$/, '--in-place': /^[\w.~-]*$/ },
  },
  awk: {
    script: 'awk',
    options: `-F: -v: -b -c -C -P -r -t -S -n --field-separator= --assign= --characters-as-bytes --posix --re-interval --traditional --sandbox --csv
      --non-decimal-data --version --help`,
    values: { '-v': /^\w+=/, '--assign': /^\w+=/ },
  },
  jq: {
    script: 'jq',
    options: `-r -j -a -c -C -M -S -n -e -s -R -h -V -0 --raw-output --raw-output0 --join-output --ascii-output --compact-output --color-output
      --monochrome-output --sort-keys --null-input --exit-status --slurp --raw-input --tab --indent= --stream --stream-errors --seq --unbuffered
      --arg+ --argjson+ --slurpfile+ --rawfile+ --args --jsonargs --version --help`,
  },
  yq: {
    script: 'yq',
    options: `-r -P -e -i -o: -p: -n -N -C -M -I: -y -Y -c -S -j --unwrapScalar? --prettyPrint --exit-status --inplace --in-place --output-format= --input-format=
      --null-input --no-doc --colors --no-colors --indent= --raw-output --yaml-output --compact-output --sort-keys --tojson --version --help`,
  },
  pandoc: {
    options: `-s -N -f: -r: -t: -w: -o: -M: -V: -c: -H: -A: -B: -C -i -p -D: --standalone --toc --table-of-contents --toc-depth= --from= --to= --read= --write=
      --output= --metadata= --variable= --metadata-file= --number-sections --wrap= --columns= --mathjax? --katex? --css= --citeproc --bibliography=
      --csl= --highlight-style= --embed-resources --self-contained --template= --reference-doc= --resource-path= --shift-heading-level-by= --ascii
      --tab-stop= --extract-media= --quiet --verbose --version --help --list-input-formats --list-output-formats --id-prefix=`,
    values: Object.fromEntries('-f -r -t -w --from --to --read --write'.split(' ').map((name) => [name, /^[\w+-]+$/])), // a file is a script
  },
  sqlite3: {
    script: 'sqlite',
    options:
      '-header -noheader -json -csv -column -line -list -markdown -table -box -html -readonly -bail -batch -separator: -nullvalue: -version -help -echo -safe',
    isWordStyle: true,
  },
  psql: {
    script: 'psql',
    options: `-c: -d: -h: -p: -U: -t -A -q -x -l -w -W -X -a -b -e -H -1 -F: -R: -P: -z -0 --command= --dbname= --host= --port= --username= --tuples-only --no-align --quiet
      --expanded --list --no-password --no-psqlrc --csv --html --single-transaction --field-separator= --pset= --version --help`,
    values: { '-P': /^(?!pager)/, '--pset': /^(?!pager)/ },
  },
}
