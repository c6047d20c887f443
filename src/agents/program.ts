// The program behind an agent's name, as far as its command line tells.
import { programName, wordsOf } from './acp/command.ts'

export function programOf(agent: string): string {
  const words = agent.startsWith('acp:') ? wordsOf(agent.slice('acp:'.length)) : agent
  return typeof words === 'string' ? words : programName(words)
}
