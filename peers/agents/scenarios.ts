// What is tried with every agent: the words of its model, what is done to the run meanwhile, and what must come of it.
import type { Words } from './agents.ts'
import type { Live } from './live.ts'

/** What a turn of a script may have; see docs/script.md. */
type Turn = Record<string, unknown>

export type Expected = {
  /** Null: it was killed. */
  exit: number | null
  /** As `sluice digest` says it ended; `none`: the log has no end. */
  ended: 'ok' | 'failed' | 'cancelled' | 'none'
  turns?: number
  /** The last answer. */
  answer?: string
  /** Of tools: how many there were, and how many of them failed or were refused. */
  calls?: { calls: number; failed?: number; denied?: number }
  permissions?: { asked: number; allowed?: number; refused?: number; unanswered?: number }
  /** What the session ended with, when it failed. */
  fault?: 'rate_limit' | 'auth'
  /** Who decided the question. */
  by?: 'control' | 'timeout' | 'rule' | 'none'
  /** What the log must hold, and how often at least. */
  told?: Readonly<Record<string, number>>
  /** Text that must be in the log, and text that must not. */
  text?: string
  not?: string
  /** All totals agree with what the provider was asked, but for conversations of these lanes. */
  usage?: { without: readonly string[] }
  /** Whether the command that makes `made.txt` was run. */
  made?: boolean
}

export type Scenario = {
  name: string
  turns(words: Words): readonly Turn[]
  flags?: readonly string[]
  /** The prompt of a run before this one, which goes on with its session. */
  before?: string
  act?(live: Live): Promise<void>
  expected: Expected
  /** An agent that has no such thing, with the reason; or one for which something else is right. By its name, or the first word of it. */
  but?: Readonly<Record<string, string | { expected?: Partial<Expected>; flags?: readonly string[]; why: string }>>
}

/** The other conversations that agents have: titles and the like, and a subagent. */
export const lanes = (words: Words): readonly unknown[] => [
  { name: 'side', when: { tools: false }, repeat: true, turns: [{ text: 'A title' }] },
  // An interrupted answer is not in every agent's history: then both prompts come before the first answer.
  { name: 'interrupted', when: { prompt: another }, turns: [{ text: 'Something else.' }] },
  { name: 'subagent', when: { prompt: subtask }, turns: [{ tools: [words.shell('cat notes.txt')] }, words.report('It has three lines.')] },
]
const another = 'Do something else.'
const subtask = 'SUBTASK count the lines of notes.txt'

const isText = ({ kind, text }: Record<string, unknown>): boolean => kind === 'text.delta' && text !== ''
const question = async (live: Live): Promise<string> => String((await live.event(({ kind }) => kind === 'permission.request'))['id'])
const answered = (option: string) => async (live: Live) => live.control('answer', await question(live), option)

const asking = (words: Words): Turn[] => [{ tools: [words.risky('touch made.txt')] }, { text: 'That is all.' }]
const waiting = (words: Words): Turn[] => [{ tools: [words.risky('touch made.txt; sleep 60')] }, { text: 'That is all.' }]
// No two words are the same: some agents take repetition for a loop.
const slow = { text: Array.from({ length: 40 }, (_, at) => `word${at}`).join(' '), chunk: 10, delay: 100 }
const asked = ['--permission-handler', 'control']
const free = ['--auto-approve']

const silent = { expected: { told: {} }, why: 'it tries again without a word' }
const opaque = { expected: { told: { 'tool.end': 2 } }, why: 'a subagent is a call of a tool: what it does is not told apart' }
const giveUp = { expected: { exit: 5, ended: 'failed' as const }, why: 'a refusal ends its turn, so the task was not done: exit code 5' }

const held = {
  expected: { calls: { calls: 1, failed: 1 }, by: 'none' as const },
  why: 'it does not ask: its sandbox refuses the command',
}
const ran = {
  expected: { exit: 1, ended: 'failed' as const, calls: { calls: 1, failed: 1 }, by: 'none' as const },
  why: 'it does not ask, and its sandbox refuses what the command does: the run ends, with exit code 1',
}
// A command that is over at once is not always told.
const slowly = (words: Words): Turn[] => [{ tools: [words.shell('sleep 1; touch made.txt')] }, { text: 'That is all.' }]

export const scenarios: readonly Scenario[] = [
  { name: 'text', turns: () => [{ text: 'Hello, wörld.' }], expected: { exit: 0, ended: 'ok', turns: 1, answer: 'Hello, wörld.' } },
  {
    name: 'tool',
    turns: (words) => [{ tools: [words.shell('cat notes.txt')] }, { text: 'Three lines.' }],
    flags: free,
    expected: { exit: 0, ended: 'ok', turns: 1, answer: 'Three lines.', calls: { calls: 1, failed: 0, denied: 0 }, text: 'gamma' },
    but: { gemini: { expected: { text: '' }, why: 'it does not tell what a command printed' } },
  },
  {
    name: 'failing tool',
    turns: (words) => [{ tools: [words.shell('cat notes.txt; exit 3')] }, { text: 'It failed.' }],
    flags: free,
    expected: { exit: 0, ended: 'ok', answer: 'It failed.', calls: { calls: 1, failed: 1, denied: 0 } },
    but: { gemini: 'it does not tell how a command ended' },
  },
  {
    name: 'permission allowed',
    turns: asking,
    flags: asked,
    act: answered('allow'),
    expected: {
      exit: 0,
      ended: 'ok',
      answer: 'That is all.',
      calls: { calls: 1, failed: 0, denied: 0 },
      permissions: { asked: 1, allowed: 1 },
      made: true,
    },
  },
  {
    name: 'permission refused',
    turns: asking,
    flags: asked,
    act: answered('reject'),
    expected: { exit: 0, ended: 'ok', calls: { calls: 1, denied: 1 }, permissions: { asked: 1, refused: 1 }, by: 'control', made: false },
    but: { copilot: giveUp, 'codex-acp': giveUp },
  },
  {
    name: 'never answered',
    turns: asking,
    flags: [...asked, '--permission-timeout', '1s'],
    expected: { exit: 0, ended: 'ok', calls: { calls: 1, denied: 1 }, permissions: { asked: 1, refused: 1 }, by: 'timeout', made: false },
    but: { copilot: giveUp, 'codex-acp': giveUp },
  },
  {
    name: 'subagent',
    turns: (words) => [{ tools: [words.subagent(subtask)] }, { tools: [words.shell('sleep 1')] }, { text: 'The helper says three.' }],
    flags: free,
    expected: { exit: 0, ended: 'ok', answer: 'The helper says three.', told: { 'task.start': 1, 'task.end': 1 } },
    but: { gemini: opaque, copilot: opaque },
  },
  {
    name: 'MCP',
    turns: (words) => [{ tools: [words.echo('ping')] }, { text: 'It came back.' }],
    flags: free,
    expected: { exit: 0, ended: 'ok', answer: 'It came back.', text: 'echo: ping' },
  },
  {
    name: 'read-only',
    turns: slowly,
    flags: ['--read-only', ...free],
    expected: { exit: 0, ended: 'ok', calls: { calls: 1, denied: 1 }, made: false },
    but: { copilot: giveUp, 'codex-acp': held },
  },
  {
    name: 'deny, approved',
    turns: slowly,
    flags: ['--permission', 'bash:touch *=deny', ...free],
    expected: { exit: 0, ended: 'ok', calls: { calls: 1, denied: 1 }, by: 'rule', made: false },
    but: { copilot: giveUp, 'codex-acp': ran },
  },
  {
    name: 'MCP rule',
    turns: (words) => [{ tools: [words.echo('ping')] }, { text: 'It did not come back.' }],
    flags: ['--permission', 'echo_echo=deny', ...free],
    expected: { exit: 0, ended: 'ok', by: 'rule', not: 'echo: ping' },
    but: { copilot: giveUp },
  },
  {
    name: 'narrow rule',
    turns: (words) => [{ tools: [words.risky('touch made.txt')] }, { text: 'That is all.' }],
    flags: ['--permission', 'bash:touch made.txt=allow', '--permission', 'write:made.txt=allow'],
    expected: { exit: 0, ended: 'ok', answer: 'That is all.', calls: { calls: 1, failed: 0, denied: 0 }, by: 'rule', made: true },
  },
  {
    name: '429 for ever',
    turns: () => [{ error: { status: 429, message: 'slow down', retryAfter: '1s' } }],
    expected: { exit: 1, ended: 'failed', fault: 'rate_limit', told: { error: 1 } },
  },
  {
    name: '429, then fine',
    turns: () => [{ error: { status: 429, message: 'slow down', retryAfter: '1s', times: 1 }, text: 'There you are.' }],
    expected: { exit: 0, ended: 'ok', answer: 'There you are.', told: { 'retry.start': 1 } },
    but: { 'claude 2.0.76': silent, gemini: silent, copilot: silent, 'claude-agent-acp': silent },
  },
  {
    name: '401',
    turns: () => [{ error: { status: 401, message: 'no such key' } }],
    expected: { exit: 1, ended: 'failed', fault: 'auth', told: { error: 1 } },
  },
  {
    name: 'cut stream',
    turns: () => [{ text: 'The answer is cut in the middle.', chunk: 4, cut: true }],
    expected: { exit: 1, ended: 'failed', told: { error: 1 } },
  },
  {
    name: 'cut once',
    turns: () => [{ text: 'The answer is cut in the middle.', chunk: 4, cut: 1 }],
    expected: { exit: 0, ended: 'ok', answer: 'The answer is cut in the middle.' },
    but: { gemini: { expected: { exit: 1, ended: 'failed', answer: 'The answer is cu' }, why: 'it does not try again' } },
  },
  {
    name: 'interrupt',
    turns: () => [slow, { text: 'Something else.' }],
    async act(live) {
      await live.event(isText)
      await live.control('interrupt', another)
    },
    expected: { exit: 0, ended: 'ok', turns: 2, answer: 'Something else.', told: { 'cancel.request': 1, 'prompt.submit': 2 } },
  },
  {
    name: 'several turns',
    turns: () => [slow, { text: 'The second.' }],
    async act(live) {
      await live.event(isText)
      await live.control('prompt', 'And now?')
    },
    expected: { exit: 0, ended: 'ok', turns: 2, answer: 'The second.', told: { 'prompt.submit': 2 } },
  },
  {
    name: 'SIGTERM',
    turns: waiting,
    flags: free,
    async act(live) {
      await live.file('made.txt')
      live.kill('SIGTERM')
    },
    expected: { exit: 143, ended: 'cancelled', calls: { calls: 1, denied: 0 } },
  },
  {
    name: 'kill -9',
    turns: waiting,
    flags: free,
    async act(live) {
      await live.file('made.txt')
      live.kill('SIGKILL')
    },
    expected: { exit: null, ended: 'none' },
  },
  {
    name: 'two prompts, usage',
    turns: (words) => [{ tools: [words.shell('cat notes.txt')] }, slow, { text: 'The second.' }],
    flags: free,
    async act(live) {
      await live.event(isText)
      await live.control('prompt', 'And now?')
    },
    expected: { exit: 0, ended: 'ok', turns: 2, answer: 'The second.', usage: { without: [] } },
  },
  {
    name: 'subagent, usage',
    turns: (words) => [{ tools: [words.subagent(subtask)] }, { tools: [words.shell('sleep 1')] }, { text: 'The helper says three.' }],
    flags: free,
    expected: { exit: 0, ended: 'ok', answer: 'The helper says three.', usage: { without: [] } },
    but: { 'codex-acp': { expected: { usage: { without: ['subagent'] } }, why: 'it does not tell the tokens of subagents' } },
  },
  {
    name: 'resume, usage',
    turns: (words) => [{ text: 'The first.' }, { tools: [words.shell('cat notes.txt')] }, { text: 'The second.' }],
    flags: free,
    before: 'Begin',
    expected: { exit: 0, ended: 'ok', answer: 'The second.', usage: { without: [] } },
    but: { gemini: 'it cannot go on with a session within the minute in which it began' },
  },
  {
    name: 'killed agent',
    turns: waiting,
    flags: free,
    async act(live) {
      await live.file('made.txt')
      live.killAgent('SIGKILL')
    },
    expected: { exit: 1, ended: 'failed', told: { error: 1 } },
  },
  {
    name: 'ended agent',
    turns: waiting,
    flags: free,
    async act(live) {
      await live.file('made.txt')
      live.killAgent('SIGTERM')
    },
    expected: { exit: 1, ended: 'failed', told: { error: 1 } },
  },
]
