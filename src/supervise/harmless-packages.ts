// Package managers and task runners: what they do with the project's own scripts and with packages by name. Addresses, registries, settings
// and programs that an option names are not among it.
import type { Harmless } from './harmless.ts'

const named = (names: string, spec: Harmless = {}): Record<string, Harmless> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, spec]))

/** Options of the usual scripts: these programs pass them on, or take them for settings that mean nothing to them. (With `-i`, `-git` would be three.) */
const script = `-t: -u --watch? --watchAll? --coverage? --ci --run --fix --verbose --silent --reporter= --mode= --grep= --testNamePattern= --testPathPattern= --port=
  --host? --prod --production? --runInBand --updateSnapshot --bail? --passWithNoTests --write --check --list --debug --headed --project= --workers=
  --max-warnings= --detectOpenHandles --maxWorkers= --testTimeout= --no-coverage --no-watch --help --version`

/** By its name: no address, no git. A folder of the project is judged as a path. */
const packageName = /^((@[\w.-]+\/)?[\w][\w.-]*(@[\w.^~<>=*|+ -]+)?|\.{1,2}(\/[\w@.-]+)*\/?|[\w.-]+(\/[\w.-]+)*\.(tgz|tar\.gz))$/
const scriptName = /^[\w@:.*/+-]+$/
/** `bun run` runs programs of the system, too, so the name must be that of a usual script, or of a file. */
const bunScript =
  /^((test|build|dev|start|lint|format|fmt|typecheck|check|preview|serve|clean|deploy|release|generate|docs|ci|watch|fix)([:-][\w:.-]+)?|[\w./-]+\.[cm]?[jt]sx?)$/
const program = /^(@[\w.-]+\/)?[\w][\w.-]*(@[\w.^~-]+)?$/

const node = `${script} -s -q -d -f -g -D -S -E -O -P -B -y -a -l -p -h -v -L: --quiet --loglevel= --if-present --ignore-scripts --audit? --fund? --prefer-offline --offline
  --prefer-online --save --save-dev --dev --save-exact --exact --save-optional --optional --save-peer --peer --save-prod --save-bundle --global
  --location= --workspaces --include= --omit= --only= --legacy-peer-deps --force --dry-run --json --long --depth= --all --parseable --progress? --color? --yes
  --tag= --package-lock-only --package-lock? --foreground-scripts --engine-strict --strict-peer-deps --install-strategy= --bin-links --audit-level=
  --timing --include-workspace-root --frozen-lockfile --immutable --immutable-cache --pure-lockfile --no-lockfile --non-interactive --production?
  --latest --recursive --parallel --stream --aggregate-output --sort --bail --no-bail --reverse --prod --fix-lockfile --shamefully-hoist
  --network-timeout= --network-concurrency= --check-files --ignore-engines --ignore-optional --ignore-platform --har --flat --inline-builds --mode=
  --interactive --json --why --cwd= --dir= -C: --workspace-root -r -w: -F: --workspace= --filter= --prefix= --no-verify --cached --from-lockfile`

const scripts: Harmless = { operands: scriptName, rest: 'free' }
const install: Harmless = { operands: packageName }
const byName: Harmless['values'] = { '-p': program, '--package': program }
const programs: Harmless = { options: '-p: --package= --no --no-install', operands: program, runs: 'package', values: byName }
const nodeCommands: Record<string, Harmless> = {
  ...named('test t tst start stop restart run run-script rum urn build dev lint format typecheck check', scripts),
  ...named('install i in add ci clean-install install-test it uninstall remove rm un unlink r update up upgrade link rebuild rb', install),
  ...named(
    'outdated ls list ll la view info show v why explain query fund audit prune dedupe ddp shrinkwrap doctor ping search root bin prefix help licenses',
  ),
  ...named('version', { options: '--git-tag-version? --preid= --allow-same-version -m: --message=', operands: /^[\w.-]+$/ }),
  ...named('pack', { options: '--pack-destination=', operands: packageName }),
  init: { operands: /^$/ },
  exec: programs,
  x: programs,
  dlx: programs,
  config: { commands: named('get list ls'), operands: /^[\w.:@/-]+$/ },
  cache: { commands: named('ls list verify clean dir') },
  pkg: { commands: named('get') },
}

const pip: Harmless = {
  options:
    '-q -v -V -h --quiet --verbose --version --help --disable-pip-version-check --no-input --no-color --require-virtualenv --no-cache-dir --isolated --retries= --timeout=',
  commands: {
    ...named('install download wheel', {
      options: `-r: -c: -e: -U -I --requirement= --constraint= --editable= --upgrade --upgrade-strategy= --user --no-deps --pre --break-system-packages --dry-run
        --force-reinstall --ignore-installed --ignore-requires-python --no-build-isolation --no-binary= --only-binary= --prefer-binary --no-compile
        --no-warn-script-location --progress-bar= --require-hashes --root-user-action= --report> -d: --dest= -w: --wheel-dir=`,
      operands:
        /^([\w.-]+(\[[\w,.-]+\])?([<>=!~]=?[\w.*,<>=!~ -]+)?|\.{1,2}(\/[\w.-]+)*\/?(\[[\w,.-]+\])?|[\w.-]+(\/[\w.-]+)*\.(whl|tar\.gz))$/,
      values: {
        '-r': /^[\w./-]+$/,
        '-c': /^[\w./-]+$/,
        '-e': /^[\w./[\],-]+$/,
        '--constraint': /^[\w./-]+$/,
        '--requirement': /^[\w./-]+$/,
        '--editable': /^[\w./[\],-]+$/,
      },
    }),
    ...named('uninstall', { options: '-y -r: --yes --break-system-packages', operands: /^[\w.-]+$/ }),
    ...named('list show freeze check inspect help debug', {
      options: '-o -u -l -f -i --outdated --uptodate --local --user --files --format= --not-required --exclude= --all --pre --path=',
    }),
    cache: { commands: named('dir info list purge') },
    config: { commands: named('list get') },
  },
}

const cargoOptions = `-r -v -q -p: -j: -F: --release --all --workspace --exclude= --package= --lib --bin= --bins --example= --examples --test= --tests --bench= --benches
  --all-targets --features= --all-features --no-default-features --target= --target-dir= --manifest-path= --profile= --jobs= --keep-going --locked
  --offline --frozen --verbose --quiet --color= --message-format= --no-run --no-fail-fast --doc --no-deps --document-private-items --fix --allow-dirty
  --allow-staged --check --depth= --edges= --invert= --duplicates --prefix= --format-version= --dry-run --dev --build --optional --git-fetch-with-cli
  --recursive --precise= --edition= --name= --vcs= --timings? --future-incompat-report --rename= --version --help --list -i: -d -e: -V -h`
const cargo: Harmless = {
  options: cargoOptions,
  values: { '--target': /^[\w-]+$/ },
  also: /^\+[\w.-]+$/,
  commands: {
    ...named(
      'build b test t check c run r bench doc d clean update tree metadata search new init add remove rm fetch generate-lockfile verify-project pkgid locate-project nextest version help',
      {
        operands: /^[\w@.:/=^~*-]+$/,
        rest: 'free',
      },
    ),
    ...named('clippy', { rest: { options: '-W: -A: -D: -F:', operands: /^$/ } }),
    ...named('fmt', { rest: { options: '-l -v -q --check --emit= --edition= --color=', operands: /^[\w./-]+$/ } }),
  },
}

const goFlags = `-v -x -n -a -race -msan -cover -short -json -failfast -benchmem -trimpath -i -u -t -d -m -f: -run: -skip: -count: -bench: -benchtime: -timeout: -tags: -mod: -p:
  -parallel: -cpu: -covermode: -coverpkg: -list: -shuffle: -fuzz: -fuzztime: -vet: -buildmode: -buildvcs: -ldflags: -gcflags: -o: -coverprofile: -cpuprofile:
  -memprofile: -blockprofile: -mutexprofile: -trace: -outputdir: -C: -e -deps -test -compiled -export -find -versions -retracted -reuse: -all -src -c -cmd -short -r -s -w -l
  -modcacherw -go: -require: -droprequire: -replace: -dropreplace: -exclude: -json -print -compat: -vcs -cache -testcache -modcache -fuzzcache -changed -diff -fix -args`
const go: Harmless = {
  options: '-version -help',
  isWordStyle: true,
  commands: {
    ...named('build test vet fmt list doc version clean generate help fix telemetry', {
      isWordStyle: true,
      options: goFlags,
      ends: '-args',
      values: { '-ldflags': /^((-[sw]|"-[sw]"|-X [\w./-]+=[\w./:+-]*)(\s+|$))*$/, '-gcflags': /^(all=)?(-[NlmS]|\s)+$/ },
      operands: /^[\w./:@-]+$/,
    }),
    ...named('get install', {
      isWordStyle: true,
      options: goFlags,
      operands: /^[\w./@+-]+$/,
      values: { '-ldflags': /^$/, '-gcflags': /^$/ },
    }),
    run: {
      isWordStyle: true,
      options: goFlags,
      ends: true,
      operands: /^(\.{1,2}(\/[\w.-]+)*\/?|[\w./-]+\.go)$/,
      values: { '-ldflags': /^$/, '-gcflags': /^$/ },
    },
    env: { isWordStyle: true, options: '-json -changed', operands: /^\w+$/ },
    ...named('mod work', {
      commands: named('tidy download verify why graph init edit vendor use sync', {
        isWordStyle: true,
        options: goFlags,
        operands: /^[\w./@+=-]+$/,
      }),
    }),
  },
}

const poetry: Harmless = {
  options: '-q -v -n -h -V --quiet --verbose --no-interaction --no-ansi --version --help',
  commands: {
    run: { runs: 'program' },
    ...named('install update add remove lock show check build version search about list sync', {
      options:
        '-G: -D -E: --group= --dev --with= --without= --only= --only-root --no-root --sync --all-extras --extras= --dry-run --tree --latest --outdated --no-update --regenerate',
      operands: /^[\w.[\],@^~<>=*-]+$/,
    }),
  },
}

const uv: Harmless = {
  options:
    '-q -v -n -h -V --quiet --verbose --no-cache --offline --no-progress --color= --version --help --frozen --locked --no-sync --isolated',
  commands: {
    run: {
      options: '-p: --python= --extra= --group= --dev --no-dev --all-extras --no-project --active --package=',
      runs: 'program',
      values: { '-p': /^[\d.]+$/, '--python': /^[\d.]+$/ },
    },
    ...named('sync lock tree init add remove venv version help build', {
      options:
        '-U -p: --upgrade --dev --no-dev --group= --extra= --all-extras --all-groups --optional= --python= --check --depth= --no-install-project --package= --seed --clear',
      operands: packageName,
      values: { '-p': /^[\d.]+$/, '--python': /^[\d.]+$/ },
    }),
    pip: { commands: pip.commands! },
    python: { commands: named('list find dir') },
    cache: { commands: named('dir clean prune') },
  },
}

const ruby: Harmless = {
  options: '-q -v -h --quiet --verbose --version --help',
  commands: {
    exec: { runs: 'program' },
    ...named('install update add remove list show info check outdated lock clean', {
      options: '-j: --jobs= --local --path= --without= --with= --deployment --retry= --frozen --all',
      operands: /^[\w.-]+$/,
    }),
  },
}

export const packages: Record<string, Harmless> = {
  npm: { options: node, also: /^-ws$/, commands: nodeCommands },
  pnpm: {
    options: node,
    commands: { ...nodeCommands, exec: { runs: 'program' }, ...named('import fetch store patch deploy', { operands: packageName }) },
  },
  yarn: {
    options: node,
    commands: { ...nodeCommands, exec: { runs: 'program' }, ...named('import versions dedupe', { operands: packageName }) },
  },
  bun: {
    options: node,
    commands: {
      ...nodeCommands,
      run: { operands: bunScript, rest: 'free' },
      pm: { commands: named('ls cache bin hash') },
      build: { options: '--outdir= --outfile= --target= --minify --sourcemap? --format= --splitting --external=', operands: /^[\w./-]+$/ },
    },
  },
  npx: {
    ...programs,
    options: '-y -q -p: --yes --no --no-install --quiet --package= --prefer-offline --offline --version --help -h -v --ignore-existing',
  },
  bunx: { ...programs, options: '--bun --silent --verbose -p: --package=' },
  uvx: {
    ...programs,
    options: '-q -v -p: --from= --with= --python= --quiet --offline --version --help',
    values: { '-p': /^[\d.]+$/, '--python': /^[\d.]+$/, '--from': program, '--with': program },
  },
  pip,
  cargo,
  go,
  poetry,
  uv,
  bundle: ruby,
  gem: {
    options: '-v: -N -q -y --version= --no-document --quiet --user-install --conservative',
    commands: named('install uninstall list outdated update info search which environment contents dependency', { operands: /^[\w.:-]+$/ }),
  },
  composer: {
    options:
      '-n -q -v -d: -o -a -h --no-interaction --quiet --verbose --no-dev --dev --prefer-dist --prefer-source --no-scripts --no-progress --no-plugins --optimize-autoloader --working-dir= --ansi --no-ansi --dry-run --with-all-dependencies --no-cache --version --help --tree --latest --outdated --strict',
    commands: named(
      'install update require remove show outdated validate dump-autoload dumpautoload run run-script test why depends audit check-platform-reqs licenses status diagnose list about',
      { operands: /^[\w./:^~*@|-]+$/ },
    ),
  },
  apt: {
    options:
      '-y -q -V -s -f -u --yes --quiet --assume-yes --no-install-recommends --no-install-suggests --simulate --dry-run --fix-broken --purge --upgradable --installed --version --help -h -v --only-upgrade --reinstall --no-upgrade --autoremove',
    commands: named(
      'update upgrade install remove purge autoremove autoclean clean list show search policy depends rdepends full-upgrade dist-upgrade download',
      { operands: /^[\w.+:=~*-]+$/ },
    ),
  },
  brew: {
    options: '-q -v -d -n -f --quiet --verbose --formula --cask --force --dry-run --json? --version --versions --help --greedy --installed',
    commands: named(
      'install uninstall remove update upgrade list ls info search outdated doctor cleanup deps uses leaves config tap-info',
      { operands: /^[\w@.+-]+$/ },
    ),
  },
}
