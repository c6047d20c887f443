// What a child process is given of our environment: a list of names, since what must not leak cannot be listed. Provider keys and
// our own variables never pass, not even when someone adds them to the list.

const passed = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR COLUMNS LINES EDITOR VISUAL PAGER
  CI HOSTNAME HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  NODE_ENV NODE_PATH NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME
  VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYTHONPATH PYTHONUNBUFFERED PIPX_HOME UV_CACHE_DIR POETRY_HOME
  GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN
  JAVA_HOME JDK_HOME GRADLE_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME ANDROID_HOME ANDROID_SDK_ROOT KOTLIN_HOME SDKMAN_DIR
  GEM_HOME GEM_PATH BUNDLE_PATH RBENV_ROOT RUBY_VERSION COMPOSER_HOME DOTNET_ROOT NUGET_PACKAGES ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR
  HOMEBREW_PREFIX NIX_PATH NIX_PROFILES LD_LIBRARY_PATH DYLD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH MAKEFLAGS CC CXX`.split(/\s+/),
)
const passedFamilies = /^(LC|XDG)_/
const secretWords =
  /(_|^)(API_?KEYS?|ACCESS_?KEYS?|PRIVATE_?KEY|AUTH_?TOKEN|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|KEY)(_|$)/i
const providers =
  /^(ANTHROPIC|OPENAI|AZURE|GOOGLE|GEMINI|VERTEX|AWS|BEDROCK|OPENROUTER|MISTRAL|GROQ|XAI|DEEPSEEK|COHERE|TOGETHER|FIREWORKS|PERPLEXITY|CEREBRAS|OLLAMA|LMSTUDIO|VLLM|HUGGINGFACE|HF|REPLICATE|CLAUDE|CODEX|COPILOT)_/i

type Variables = Readonly<Record<string, string | undefined>>

/** Of our variables those that a child may have, and those that a person has named besides (`more`, from their settings). */
export function childEnvironment(env: Variables, more: readonly string[] = []): Record<string, string> {
  const child: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isSecretName(name)) continue
    if (isPassed(name) || more.includes(name)) child[name] = value
  }
  if (child['PATH'] !== undefined) child['PATH'] = absoluteOnly(child['PATH'])
  for (const name of Object.keys(child)) if (/^(LANG|LC_.+)$/.test(name) && !isPlainLocale(child[name]!)) child[name] = 'C.UTF-8'
  return { ...child, AGENT: '1' }
}

/**
 * Rules read a command as UTF-8. In GBK, Big5 or Shift JIS the second byte of a character may be a backslash or a quote, so bash would read
 * another command than the one that was allowed. A name without its character set may stand for any of them.
 */
const isPlainLocale = (value: string): boolean => /^(|C|POSIX|[A-Za-z_]+\.utf-?8(@\w+)?)$/i.test(value)

/** An empty or relative entry would let the project bring its own `ls`; and a PATH without entries means the current folder. */
function absoluteOnly(path: string): string {
  const entries = path.split(':').filter((entry) => entry.startsWith('/'))
  return entries.length === 0 ? '/usr/bin:/bin' : entries.join(':')
}

/** The same for another agent, which needs its own settings and keys too: `own` names them. Ours never pass. */
export function agentEnvironment(env: Variables, own: RegExp, more: readonly string[] = []): Record<string, string> {
  const child = childEnvironment(env, more)
  for (const [name, value] of Object.entries(env)) if (value !== undefined && own.test(name) && !isOurs(name)) child[name] = value
  return child
}

/** Programs know the names of proxies in both spellings. */
const isPassed = (name: string): boolean => passed.has(name) || passedFamilies.test(name) || passed.has(proxyName(name))
const proxyName = (name: string): string => (name.endsWith('_proxy') ? name.toUpperCase() : name)

/** A variable that never reaches a child: a provider's, our own, or one that is named like a secret. */
const isSecretName = (name: string): boolean => isOurs(name) || providers.test(name) || secretWords.test(name)
const isOurs = (name: string): boolean => /^SLUICE_/i.test(name)
