// What the shell does with a word before it runs a command: expansions, arithmetic and tests that may run something without saying so.
import { forEachChild, type SyntaxNode, type TestExpression } from 'unbash'
import type { Findings } from './shell-findings.ts'
import { isHarmlessVariable, isOwnVariable, readWord } from './shell-words.ts'
import type { Walker } from './shell.ts'

const comparisons = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])

export const isNumber = (text: string): boolean => /^-?(0x[0-9a-f]+|\d+)$/i.test(text)

export type Variables = ReturnType<typeof createVariables>

/** Variables given a text: arithmetic would run what stands in it, and an unquoted one may become a wildcard. */
export function createVariables({ opaque }: Findings) {
  const texts = new Set<string>()
  const numbers = new Set<string>()

  const meet = (name: string): void => {
    if (texts.has(name) && numbers.has(name)) opaque(`it counts with the text in ${name}`)
  }

  return {
    isText: (name: string): boolean => texts.has(name),
    assigned(name: string, value: string | undefined): void {
      if (!isOwnVariable(name) && !isHarmlessVariable(name)) opaque(`it sets the variable ${name}`)
      if (value === undefined || !isNumber(value)) texts.add(name)
      meet(name)
    },
    /** A word of an arithmetic expression. */
    counted(word: string): void {
      if (isNumber(word) || word === '') return
      if (!isOwnVariable(word)) return opaque('its arithmetic is not made of plain numbers and variables')
      numbers.add(word)
      meet(word)
    },
  }
}

export function expansionReader(findings: Findings, walker: Walker, variables: Variables) {
  const { opaque } = findings

  function test(node: TestExpression, depth: number): void {
    switch (node.type) {
      case 'TestUnary':
        walker.scan(node.operand, depth)
        if (/^-[vR]$/.test(node.operator)) opaque('it tests a variable by its name')
        else if (!/^-[nz]$/.test(node.operator)) findings.useWord(readWord(node.operand, findings.surroundings()))
        return
      case 'TestBinary':
        for (const side of [node.left, node.right]) {
          walker.scan(side, depth)
          if (comparisons.has(node.operator) && !/^(\d+|"?\$[?#]"?)$/.test(side.text)) opaque('it counts with a text that is not known')
        }
        return
      case 'TestLogical':
        for (const operand of node.operands) test(operand, depth)
        return
      case 'TestNot':
        return test(node.operand, depth)
      default:
        test(node.expression, depth)
    }
  }

  /** Expansions that may run something without saying so, or set a variable. */
  function expansion(node: SyntaxNode, depth: number): void {
    switch (node.type) {
      case 'AnsiCQuoted':
        if (node.text.includes("\\'")) opaque('it quotes in a way that not every shell reads alike')
        break
      case 'LocaleString':
      case 'ExtendedGlob':
        opaque('it quotes in a way that not every shell reads alike')
        break
      case 'ParameterExpansion': {
        const { prefix, index, operation } = node
        if (prefix === '!') opaque('it reads a variable by its name')
        if (index !== undefined && !/^([@*]|\d+)$/.test(index.text)) opaque('it reads an element of a list that is not known')
        if (
          operation?.type === 'Slice' &&
          ![operation.offset, operation.length].every((word) => word === undefined || /^ ?-?\d+$/.test(word.text))
        ) {
          opaque('it cuts a variable at a place that is not known')
        }
        if (/^(Transform|Names|Unknown)$/.test(operation?.type ?? '')) opaque('it transforms a variable')
        if (operation?.type === 'Default' && operation.operator.endsWith('=')) opaque('it sets a variable while it reads it')
        break
      }
      case 'ArithmeticExpansion':
        if (node.expression === undefined) opaque('its arithmetic cannot be read')
        break
      case 'ArithmeticWord':
        variables.counted(node.value)
        break
      default:
    }
    forEachChild(node, (child) => walker.scan(child, depth))
  }

  return { test, expansion }
}
