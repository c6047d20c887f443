// The file that --rules names.
import { readFileSync } from 'node:fs'
import type { UserRules } from '../analyze/rules.ts'
import { quoted } from '../base/text.ts'
import { systemReason, usageError } from './exit.ts'

export async function rulesIn(file: string): Promise<UserRules> {
  const { compileRules, RulesError } = await import('../analyze/rules.ts')
  try {
    return await compileRules(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof RulesError) throw usageError(`--rules ${quoted(file, 500)}: ${error.message}`)
    throw usageError(`cannot read the rules ${quoted(file, 500)}: ${systemReason(error)}`)
  }
}
