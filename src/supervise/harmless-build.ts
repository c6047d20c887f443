// Build tools, compilers and interpreters: files of the project are built and run, code on the command line and programs named by an option
// are not.
import { type Harmless, type ProblemOf, type Use, useOf } from './harmless.ts'
import { literalWord } from './shell-words.ts'

const flagPrefixes = 'I|D|U|L|l|isystem|iquote|idirafter|include|o|MF|MT|MQ'
/** Many options are joined to their value, so they are given by their shape. */
const compilerWord = new RegExp(
  `^-(${[
    '(I|D|U|L|l).+',
    'O([0-3sgz]|fast)?',
    'g(gdb|dwarf)?[-\\d]*',
    'W(no-)?[a-z][\\w+=-]*',
    'std=[\\w+]+',
    'Wl(,(-rpath|-rpath-link|-soname|-z|-s|--as-needed|--no-as-needed|--gc-sections|--no-undefined|--export-dynamic|--build-id|\\$ORIGIN[\\w./-]*|[\\w./][\\w./=-]*))+',
    'f(PIC|pic|PIE|pie|openmp|lto(=[\\w-]+)?|no-[a-z-]+|sanitize=[a-z,-]+|(stack|strict|data|function|common|exceptions|rtti|visibility|wrapv|omit|short|signed|unsigned|diagnostics|color|max|permissive|coroutines|concepts|modules-ts|profile|test|debug|asynchronous|unwind|inline|unroll|tree|fast|finite|math|PIE|syntax|use-ld=(lld|gold|bfd|mold)$)[a-z-]*(=[\\w,-]+)?)',
    'm(32|64|arch=[\\w.+-]+|tune=[\\w.+-]+|cpu=[\\w.+-]+|fpu=[\\w-]+|float-abi=\\w+|sse[\\d.]*|avx[\\w]*|no-[a-z-]+|macosx-version-min=[\\d.]+|thumb|arm)',
    'dump(version|machine|fullversion)|print-[a-z-]+(=[\\w./+-]+)?',
    'M|MM|MD|MMD|MP|c|S|E|v|w|s|pthread|shared|static|static-libgcc|static-libstdc\\+\\+|rdynamic|pipe|ansi|pedantic|pedantic-errors|nostdlib|nostdinc|nodefaultlibs|nostartfiles|pg|P|C|dM|pie|no-pie|H',
    '-(version|help|coverage|std=[\\w+]+)',
  ].join('|')})$`,
)
const compiler: Harmless = {
  isWordStyle: true,
  hasOptionFiles: true,
  also: compilerWord,
  options: `${flagPrefixes
    .split('|')
    .map((name) => `-${name}:`)
    .join(' ')} -x: -arch: -target: -framework:`,
}

/** Flags in a variable of make are judged as the compiler's own. */
const flagVariable = /^(C|CXX|CPP|LD|F)FLAGS[:+?]?=([\w.,:/@+=\s-]*)$/
const plainVariable =
  /^(Q=@?$|RUN[:+?]?=[\w.,:@+-]*$|((V|VERBOSE|DEBUG|PREFIX|DESTDIR|BUILD(_?TYPE|_?DIR)?|MODE|ENV|TARGET|TARGETS|TESTS?|NAME|VERSION|TAG|PORT|HOST|JOBS|PLATFORM|ARCH|OS|RELEASE|COVERAGE|FILTER|PKG|PACKAGE|FILES?|CONFIG|PROFILE|BRANCH|IMAGE|REGION|STAGE|SERVICE|WHAT|COUNT|TIMEOUT|[a-z]+)[:+?]?=[\w.,:/@+ -]*$))/

function makeHarm({ operands }: Use, problemOf: ProblemOf): string | undefined {
  for (const { value, text } of operands) {
    const flags = flagVariable.exec(value ?? '')?.[2]?.trim()
    if (value === undefined) return text
    if (flags === undefined ? value.includes('=') && !plainVariable.test(value) : false) return value
    const words = (flags ?? '').split(/\s+/).filter((word) => word !== '')
    if (useOf(compiler, 'make', ['cc', ...words].map(literalWord), problemOf).problem !== undefined) return value
  }
  return undefined
}

const makefile = /^(?!-$|\/dev\/)/
const make: Harmless = {
  options: `-k -s -n -B -i -w -q -r -R -t -S -v -h -d -p -j? -l? -O? -C: -f: -I: -W: -o: --keep-going --silent --quiet --dry-run --just-print --recon --always-make --ignore-errors
    --directory= --file= --makefile= --include-dir= --print-directory --no-print-directory --question --touch --jobs? --load-average? --output-sync?
    --no-builtin-rules --no-builtin-variables --warn-undefined-variables --trace --print-data-base --what-if= --version --help`,
  values: { '-f': makefile, '--file': makefile, '--makefile': makefile },
  operands: /^[\w.%@+/:=,? -]+$/,
  check: makeHarm,
}

const cmakeValue =
  /^(CMAKE_(BUILD_TYPE|INSTALL_PREFIX|EXPORT_COMPILE_COMMANDS|CXX_STANDARD|C_STANDARD|VERBOSE_MAKEFILE|POSITION_INDEPENDENT_CODE|PREFIX_PATH|OSX_ARCHITECTURES|BUILD_PARALLEL_LEVEL)|BUILD_(TESTING|SHARED_LIBS|\w+)|(?!CMAKE_|CTEST_)\w*(ENABLE|WITH|USE|TESTS?|EXAMPLES|DOCS|SANITIZE|COVERAGE|WERROR)\w*)(:\w+)?=[\w./+ -]*$/

/** Modules of python that do their work without being given code. */
const modules =
  /^(pytest|unittest|venv|virtualenv|json\.tool|compileall|py_compile|mypy|black|ruff|flake8|isort|pylint|coverage|tox|build|doctest|pip|tabnanny|ensurepip|bandit|pyright|sphinx|mkdocs|pydoc|zipfile|tarfile|ast|tokenize|platform|sysconfig|site|calendar|base64)$/

const script = /^(?!-$|\/dev\/|[\w+.-]+:)/
const interpreter = (options: string, quick: RegExp, more: Harmless = {}): Harmless => ({
  options,
  operands: script,
  ends: true,
  readsUnless: quick,
  ...more,
})

const node = interpreter(
  `-c -v -h -C: --test --watch --watch-path= --watch-preserve-output --check --run= --version --help --test-name-pattern= --test-skip-pattern= --test-reporter= --test-only --test-timeout= --test-concurrency=
  --test-force-exit --test-isolation= --test-shard= --test-update-snapshots --test-coverage-include= --test-coverage-exclude= --experimental-test-coverage
  --experimental-strip-types --experimental-transform-types --experimental-vm-modules --experimental-sqlite --experimental-test-module-mocks
  --experimental-test-isolation= --experimental-json-modules --experimental-wasm-modules --experimental-specifier-resolution= --no-warnings
  --disable-warning= --trace-warnings --trace-deprecation --trace-uncaught --throw-deprecation --unhandled-rejections= --enable-source-maps
  --max-old-space-size= --stack-size= --stack-trace-limit= --expose-gc  --conditions= --preserve-symlinks --prof
  --cpu-prof --heap-prof --jitless --permission --allow-fs-read= --v8-options --no-deprecation --pending-deprecation --throw-deprecation`,
  /^(--test|--version|-v|--help|-h|--run|--v8-options)$/,
  {
    operands: /^(?!-$|\/dev\/|[\w+.-]+:|inspect$)/,
    values: { '--test-reporter': /^(spec|tap|dot|junit|lcov)$/, '-C': /^[\w-]+$/, '--experimental-specifier-resolution': /^node$/ },
  },
)

const python: Harmless = {
  options: '-u -B -O -E -s -S -I -v -q -b -d -P -V -h -W: -X: -m: --version --help',
  values: { '-m': modules, '-X': /^(dev|utf8|importtime|faulthandler|tracemalloc)(=\w+)?$/, '-W': /^[a-z]+(::\w+)?$/ },
  operands: script,
  ends: true,
  readsUnless: /^(--version|-V|--help|-h|-m)$/,
  check: ({ options, operands }, problemOf) =>
    options.some(([name, value]) => name === '-m' && value === 'pip') ? problemOf([literalWord('pip'), ...operands]) : undefined,
}

export const builders: Record<string, Harmless> = {
  make,
  ninja: { options: '-C: -j: -k: -l: -v -n -d: --version --verbose --quiet -h', operands: /^[\w./%@+:-]+$/ },
  cmake: {
    options: `-S: -B: -G: -D: -j? -v -N --build= --target= -t: --parallel? --config= --clean-first --install= --prefix= --component= --verbose --version --help --preset= --fresh
      --list-presets? --log-level= --workflow --strip --graphviz>`,
    values: { '-D': cmakeValue },
    rest: make,
  },
  ctest: {
    options: `-V -N -j? -R: -E: -L: -C: -I: -VV --verbose --extra-verbose --output-on-failure --test-dir= --parallel? --tests-regex= --exclude-regex= --label-regex= --rerun-failed
      --stop-on-failure --timeout= --repeat= --build-config= --show-only? --quiet --version --help --preset= --no-tests=`,
  },
  gcc: compiler,
  cpp: { ...compiler, writesSecond: true },
  rustc: {
    hasOptionFiles: true,
    options:
      '-O -g -o: -L: -l: --edition= --crate-type= --crate-name= --test --emit= --out-dir= --explain= --print= --version -V --help -h -v --verbose --cfg= --extern= -W: -A: -D: -F: --color=',
  },
  javac: {
    isWordStyle: true,
    hasOptionFiles: true,
    options:
      '-d: -cp: -classpath: -class-path: -g -nowarn -verbose -deprecation -Werror -version -help -source: -target: -release: -encoding: -sourcepath:',
    also: /^-Xlint(:[\w,-]+)?$/,
  },
  java: {
    isWordStyle: true,
    hasOptionFiles: true,
    options: '-cp: -classpath: -class-path: -version -help -ea -esa -server -showversion',
    also: /^-(X(mx|ms|ss)\d+[kKmMgG]?|D[\w.]+(=[\w.,:/-]*)?|-version|-enable-preview)$/,
    ends: true,
    readsUnless: /^-(version|help)$/,
  },
  mvn: {
    isWordStyle: true,
    options:
      '-q -B -o -U -e -X -ntp -am -amd -fae -ff -fn -N -V -v -h -T: -pl: -P: -f: -rf: -quiet -batch-mode -offline -version -help -no-transfer-progress -projects: -also-make -threads: -file: -show-version -fail-at-end -update-snapshots',
    also: /^-(T\d+C?|D(skipTests|skipITs|maven\.test\.skip|test|it\.test|surefire\.\w+|failIfNoTests|revision|style\.color|spring-boot\.run\.profiles|checkstyle\.skip|spotless\.\w+\.skip)(=[\w.,*#:/-]*)?)$/,
    operands:
      /^(validate|compile|test|test-compile|package|verify|install|clean|site|process-resources|integration-test|dependency:(tree|list|resolve|go-offline|analyze)|versions:display-[\w-]+|help:[\w-]+|spring-boot:run|checkstyle:check|spotless:(check|apply)|surefire:test|jacoco:report|enforcer:enforce)$/,
  },
  gradle: {
    options: `-q -i -w -s -S -d -m -a -t -h -v -x: -p: --quiet --info --warn --stacktrace --full-stacktrace --debug --dry-run --no-daemon --daemon --offline --console= --tests= --rerun-tasks
      --continue --parallel --build-cache --no-build-cache --configuration-cache --refresh-dependencies --exclude-task= --project-dir= --scan --status --stop
      --max-workers= --version --help --warning-mode= --continuous --rerun --info --write-locks --configuration=`,
    operands: /^:?[\w:.-]+$/,
  },
  dotnet: {
    options:
      '-c: -f: -r: -v: -o: -h --configuration= --framework= --runtime= --verbosity= --output= --no-build --no-restore --nologo --filter= --logger= --list-sdks --list-runtimes --info --version --help --project= --self-contained? --interactive --collect= --settings= --blame',
    commands: {
      ...Object.fromEntries(
        'build test restore clean publish pack format list add remove sln watch'
          .split(' ')
          .map((name) => [name, { operands: /^[\w.:/-]+$/ }]),
      ),
      run: { operands: /^[\w./-]+$/, rest: 'free' },
    },
    operands: /^[\w./-]+\.dll$/,
  },
  node,
  python,
  perl: interpreter('-c -w -v -V -W -T -t -X --version --help', /^(-v|-V|--version|--help)$/),
  ruby: interpreter('-c -w -v -W? --version --help --yjit', /^(-v|--version|--help)$/),
  php: interpreter('-l -v -i -m -n -h --version --help --ini', /^(-v|-i|-m|--version|--help|--ini)$/),
  lua: interpreter('-v -W', /^-v$/),
  Rscript: interpreter('--vanilla --version --no-save --slave --quiet', /^--version$/),
  julia: interpreter('-v -h --version --project? --startup-file= --threads= -t: --color=', /^(-v|--version|-h)$/),
  deno: {
    options:
      '-q -A -h -V --quiet --allow-all --allow-read? --allow-write? --allow-net? --allow-env? --allow-run? --allow-sys? --no-check --check --watch? --unstable --no-lock --frozen? --version --help --no-prompt --cached-only --coverage? --filter= --fail-fast? --parallel --doc --fix --ignore= --no-npm -L: --log-level= --trace-leaks',
    commands: {
      run: { operands: /^[\w./-]+$/, ends: true },
      task: { operands: /^[\w:.-]+$/, ends: true },
      ...Object.fromEntries(
        'test fmt lint check bench cache info doc types coverage'.split(' ').map((name) => [name, { operands: /^[\w./-]+$/ }]),
      ),
    },
    operands: /^[\w./-]+$/,
  },
}
