// Headings under which the help of `run` and `chat` lists its options. A command shows those of its own that a heading names.
export const optionGroups: Readonly<Record<string, readonly string[]>> = {
  'Prompt and session': ['prompt-file', 'file', 'input-format', 'continue', 'resume', 'fork', 'dir', 'label', 'run-id'],
  'Agent and model': ['agent', 'agent-mode', 'one-way', 'replay-speed', 'model', 'profile', 'thinking', 'no-stream'],
  Permissions: [
    'permission',
    'auto-approve',
    'confirm',
    'read-only',
    'dry-run',
    'strict',
    'permission-handler',
    'permission-timeout',
    'settings',
    'trust-project',
  ],
  Output: ['format', 'array', 'on-event', 'losses', 'no-redact', 'sentinel-file', 'on-milestone', 'webhook'],
  Limits: ['timeout', 'progress-timeout', 'max-turns', 'max-cost', 'max-tokens', 'max-tool-calls'],
  Retries: ['api-retries', 'max-retries', 'wait-for-reset', 'max-wait'],
  Control: ['control-socket', 'no-control-socket'],
}
