// Git as the built-in agent's commands get it: it takes no folder for a repository because of files that somebody wrote there, and starts
// no file system monitor that a repository names. Hooks of the project stay as they are: they are everyday work.

const settings = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
] as const

/** The settings go through the environment, after those that are there: they count more than any file. */
export function withSafeGit(env: Readonly<Record<string, string>>): Record<string, string> {
  const before = /^\d{1,4}$/.test(env['GIT_CONFIG_COUNT'] ?? '') ? Number(env['GIT_CONFIG_COUNT']) : 0
  const added = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${before + index}`, key],
    [`GIT_CONFIG_VALUE_${before + index}`, value],
  ])
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(before + settings.length) }
}
