// Is one file of `sluice validate` legal? What is found is told as it is found.
import { printable } from '../base/text.ts'
import { createValidator, type Finding, type Verdict } from '../stream/validate.ts'
import { workflowCommand } from '../views/workflow-command.ts'
import { claimers, open } from './dialects.ts'
import { CommandError, OutputError } from './exit.ts'
import { blocks, pipeBlocks, statOf } from './io.ts'

/** How each file is read, and how what is found is told. */
export type Way = {
  from: string | undefined
  maxLine: number | undefined
  format: 'plain' | 'json' | 'github'
  named: boolean
  /** Other processes read at the same time. */
  together: boolean
}
export type Result = { file: string; dialect?: string; verdict?: Verdict; error?: { message: string; exitCode: number } }

export function describe(finding: Finding, { format, named }: Pick<Way, 'format' | 'named'>, file: string): string {
  if (format === 'json') return JSON.stringify(named ? { file, ...finding } : finding)
  const { line, byte, severity, code, text, rule } = finding
  if (format === 'github') return annotation(finding, file)
  return `${named ? `${printable(file)}: ` : ''}line ${line}, byte ${byte}: ${severity} ${code}: ${text}. Rule: ${rule}`
}

function annotation({ line, severity, code, text, rule }: Finding, file: string): string {
  const place = { file: file === '-' ? undefined : file, line, title: code }
  return workflowCommand(severity === 'error' ? 'error' : 'warning', place, `${text}. Rule: ${rule}`)
}

/** `before` is called before each block is read. */
export async function validateFile(file: string, way: Way, print: (line: string) => void, before = (): void => {}): Promise<Result> {
  try {
    const input = await open(isPipe(file) ? pipeBlocks(file) : blocks(file), way.from)
    if (way.together) skipLastStage()
    const validator = createValidator(input.dialect, (finding) => print(describe(finding, way, file)), {
      maxLine: way.maxLine,
      others: claimers,
    })
    await input.read((block) => {
      before()
      validator.push(block)
    })
    return { file, dialect: input.dialect.name, verdict: validator.end() }
  } catch (error) {
    if (!(error instanceof CommandError) || error instanceof OutputError) throw error
    return { file, error: { message: error.message, exitCode: error.exitCode } }
  }
}

export const isPipe = (file: string): boolean => statOf(file)?.isFIFO() === true

/**
 * Where several processes work, the compiler of each takes the processor from the others: its last stage costs more here than it brings.
 * Compiled code that is kept (main.ts) was made with other flags: it must be loaded before.
 */
const skipLastStage = (): void => process.getBuiltinModule('node:v8').setFlagsFromString('--no-opt')
