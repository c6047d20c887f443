// Takes a shell command apart: every simple command in it, however deep, and every file that a word of it may name. What cannot be
// known before it runs makes the whole opaque, which only a rule for everything can allow. It is read as bash reads it.
import { parse, type CommandNode, type CompoundList, type ParsedScript, type Statement, type SyntaxNode } from 'unbash'
import { commandReader, isInput } from './shell-command.ts'
import { createCounter, createVariables, expansionReader, type Variables } from './shell-expansion.ts'
import { type Analysis, createFindings, deepest } from './shell-findings.ts'
import { printedBy } from './shell-output.ts'

export type { Analysis, PathUse, SimpleCommand } from './shell-findings.ts'

const longest = 65_536 // characters of a command
const mostBrackets = 3000 // the parser's time grows with their square

const maxRounds = 4
const mostFilters = 16 // between names of files and who takes them

export function analyse(command: string, cwd: string, home: string): Analysis {
  const variables = createVariables()
  for (let round = 1; ; round++) {
    const before = variables.changes()
    variables.restart()
    const found = analyseOnce(command, cwd, home, variables)
    if (variables.changes() === before) return found
    if (round >= maxRounds) variables.lose()
  }
}

function analyseOnce(command: string, cwd: string, home: string, variables: Variables): Analysis {
  const findings = createFindings(cwd, home, variables.held)
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(command))
    return { ...findings.result(), invalid: 'it holds control characters' }
  if (/[\r\u0080-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/.test(command)) findings.opaque('it holds invisible characters')
  if (command.length > longest) findings.opaque(`it is longer than ${longest} characters`)
  else if (command.includes('$[')) findings.opaque('it counts in a way that is no longer used')
  else if (command.split(/[[({`]|<</).length > mostBrackets) findings.opaque('it holds too many brackets')
  else createWalker(findings, variables).source(command, 0)
  return findings.result()
}

export type Walker = {
  /** A script that is the text of a word, a here-document or a handler. */
  source(text: string, depth: number): void
  /** All substitutions in a word or in any other node. */
  scan(node: SyntaxNode, depth: number): void
}

function createWalker(findings: ReturnType<typeof createFindings>, variables: Variables): Walker {
  const { opaque, folders } = findings
  const walker: Walker = { source, scan }
  const counter = createCounter(findings, variables)
  const reader = commandReader(findings, walker, counter, variables)
  const { test, expansion } = expansionReader(findings, walker, counter, variables)
  /** As in a subshell: neither its folder nor its variables last. */
  const aside = (run: () => void): void => folders.aside(() => variables.branch(run))

  function source(text: string, depth: number): void {
    if (depth > deepest) return opaque('it nests too deep')
    script(parse(text), depth)
  }

  function script(node: ParsedScript | undefined, depth: number): void {
    if (node === undefined || depth > deepest) return opaque('it nests too deep')
    const error = node.errors?.[0]
    if (error !== undefined) opaque(`it cannot be read: ${error.message}`)
    statements(node.commands, depth)
  }

  function statements(list: readonly Statement[], depth: number): void {
    for (const { command, background } of list) {
      if (background === true) aside(() => chain(command, depth))
      else chain(command, depth)
    }
  }

  /** After `cd x &&` only the new folder is possible; after any other end of a `cd` the old one is, too. */
  function chain(node: Statement['command'], depth: number): void {
    const commands = node.type === 'AndOr' ? node.commands : [node]
    const operators = node.type === 'AndOr' ? node.operators : []
    const seen = [folders.now()]
    let forked = false
    let sure = variables.mark()
    for (const [index, command] of commands.entries()) {
      forked ||= index > 0 && operators[index - 1] === '||'
      if (forked) folders.either(seen)
      if (forked) variables.back(sure)
      pipeline(command, depth)
      if (index === 0) sure = variables.mark()
      seen.push(folders.now())
    }
    folders.either(seen)
    variables.back(sure)
  }

  function pipeline(node: Exclude<Statement['command'], { type: 'AndOr' }>, depth: number): void {
    if (node.type !== 'Pipeline') return step(node, depth)
    if (node.commands.length === 1) return step(node.commands[0]!, depth)
    for (const [index, command] of node.commands.entries()) {
      const isNames = index > 0 && index < mostFilters && printedBy(node.commands.slice(0, index), findings.surroundings()) !== undefined
      aside(() => findings.input.named(isNames, () => findings.input.feed(index > 0, () => step(command, depth))))
    }
  }

  const body = (list: CompoundList, depth: number): void => statements(list.commands, depth)

  function step(node: CommandNode, depth: number): void {
    switch (node.type) {
      case 'Command':
        return reader.command(node, depth)
      case 'Redirected':
        reader.redirects(node.redirects, depth)
        return findings.input.feed(node.redirects.some(isInput), () => step(node.command, depth))
      case 'Subshell':
        return aside(() => body(node.body, depth))
      case 'BraceGroup':
        return body(node.body, depth)
      case 'If': {
        const ends: ReturnType<typeof folders.now>[] = []
        for (const { clause, then } of [node, ...node.elif]) {
          const isFirst = clause === node.clause
          if (isFirst) body(clause, depth)
          else variables.branch(() => body(clause, depth))
          const before = folders.now()
          variables.branch(() => body(then, depth))
          ends.push(before, folders.now())
          folders.either([before])
        }
        if (node.else !== undefined) variables.branch(() => body(node.else!, depth))
        return folders.either([...ends, folders.now()])
      }
      case 'For':
      case 'Select':
        for (const word of node.wordlist ?? []) reader.listed(word, depth)
        return loop(() => {
          counter.assigned(node.name.value, node.type === 'For' && node.wordlist !== undefined ? reader.valuesOf(node.wordlist) : undefined)
          body(node.body, depth)
        })
      case 'ArithmeticFor':
        for (const part of [node.initialize, node.test, node.update]) if (part !== undefined) scan(part, depth)
        return loop(() => body(node.body, depth))
      case 'While':
        return loop(() => {
          body(node.clause, depth)
          body(node.body, depth)
        })
      case 'Case': {
        reader.listed(node.word, depth)
        const before = folders.now()
        const ends = [before]
        for (const item of node.items) {
          for (const pattern of item.pattern) scan(pattern, depth)
          variables.branch(() => body(item.body, depth))
          ends.push(folders.now())
        }
        return folders.either(ends)
      }
      case 'TestCommand':
        findings.command({ text: '[[', free: true, words: ['[['] })
        return test(node.expression, depth)
      case 'ArithmeticCommand':
        findings.command({ text: '((', free: true, words: ['(('] })
        if (node.expression === undefined) opaque('its arithmetic cannot be read')
        else scan(node.expression, depth)
        return
      case 'Function':
        opaque(`it defines the function ${node.name.text}`)
        return variables.fresh(() => (node.body.type === 'CompoundList' ? body(node.body, depth) : step(node.body, depth)))
      case 'Coproc':
        opaque('it starts a coprocess')
        return aside(() => (node.body.type === 'CompoundList' ? body(node.body, depth) : step(node.body, depth)))
      default:
        opaque('it holds something that is not understood')
    }
  }

  function loop(run: () => void): void {
    const before = folders.now()
    variables.branch(run)
    if (folders.now() !== before) opaque('it changes its folder in a loop')
  }

  function scan(node: SyntaxNode, depth: number): void {
    switch (node.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        return aside(() => script(node.script, depth + 1))
      default:
        expansion(node, depth)
    }
  }

  return walker
}
