// What the shell does with a word before it runs a command: expansions, arithmetic and tests that may run something without saying so.
import { forEachChild, type SyntaxNode, type TestExpression } from 'unbash'
import type { Findings } from './shell-findings.ts'
import { isHarmlessVariable, isOwnVariable, readWord, type Value } from './shell-words.ts'
import type { Walker } from './shell.ts'

const comparisons = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])

export const isNumber = (text: string): boolean => /^-?(0x[0-9a-f]+|\d+)$/i.test(text)

export type Variables = ReturnType<typeof createVariables>

/**
 * What the variables of a script may hold, wherever they are set in it: the script is gone through until nothing is added. A variable
 * that may not be set yet at some point may hold anything there.
 */
export function createVariables() {
  const held = new Map<string, readonly Value[] | undefined>()
  let certain: ReadonlySet<string> = new Set()
  let isLost = false
  let changes = 0

  function add(name: string, values: readonly Value[] | undefined): void {
    const before = held.get(name)
    if (held.has(name) && before === undefined) return
    const fresh = (values ?? []).filter(({ text }) => before?.some((one) => one.text === text) !== true)
    if (held.has(name) && values !== undefined && fresh.length === 0) return
    changes++
    const all = [...(before ?? []), ...fresh]
    held.set(name, values === undefined || all.length > maxValues ? undefined : all)
  }

  return {
    changes: (): number => changes,
    restart(): void {
      certain = new Set()
    },
    /** Something may have set any of them. */
    lose(): void {
      if (!isLost) changes++
      isLost = true
    },
    held: (name: string): readonly Value[] | undefined => (isLost || !certain.has(name) || held.has('IFS') ? undefined : held.get(name)),
    set(name: string, values: readonly Value[] | undefined, isSure: boolean): void {
      add(name, values)
      if (isSure) certain = new Set([...certain, name])
    },
    mark: (): ReadonlySet<string> => certain,
    back(mark: ReadonlySet<string>): void {
      certain = mark
    },
    /** What is set in it may not be set behind it. */
    branch(run: () => void): void {
      const before = certain
      run()
      certain = before
    },
    /** As in another shell: nothing is set there. */
    fresh(run: () => void): void {
      const before = certain
      certain = new Set()
      run()
      certain = before
    },
  }
}

const maxValues = 40

export const onlyText = (values: readonly Value[] | undefined): string | undefined =>
  values?.length === 1 && values[0]!.exact ? values[0]!.text : undefined

export type Counter = ReturnType<typeof createCounter>

/** Variables given a text: arithmetic would run what stands in it. */
export function createCounter({ opaque }: Findings, variables: Variables) {
  const texts = new Set<string>()
  const numbers = new Set<string>()

  const meet = (name: string): void => {
    if (texts.has(name) && numbers.has(name)) opaque(`it counts with the text in ${name}`)
  }

  return {
    assigned(name: string, values: readonly Value[] | undefined, isSure = true): void {
      if (!isOwnVariable(name) && !isHarmlessVariable(name, onlyText(values))) opaque(`it sets the variable ${name}`)
      if (values?.every(({ text, exact }) => exact && isNumber(text)) !== true) texts.add(name)
      variables.set(name, values, isSure)
      meet(name)
    },
    /** It holds what was read. */
    fed(name: string): void {
      texts.add(name)
      variables.set(name, undefined, true)
      meet(name)
    },
    /** A word of an arithmetic expression. (`_` is the last word of the command before.) */
    counted(word: string): void {
      if (isNumber(word) || word === '') return
      if (!isOwnVariable(word) || word === '_') return opaque('its arithmetic is not made of plain numbers and variables')
      numbers.add(word)
      meet(word)
    },
  }
}

export function expansionReader(findings: Findings, walker: Walker, counter: Counter, variables: Variables) {
  const { opaque } = findings

  function test(node: TestExpression, depth: number): void {
    switch (node.type) {
      case 'TestUnary':
        walker.scan(node.operand, depth)
        if (/^-[vR]$/.test(node.operator)) opaque('it tests a variable by its name')
        else if (!/^-[nz]$/.test(node.operator)) {
          const word = readWord(node.operand, findings.surroundings())
          if (word.paths !== undefined) findings.useWord(word)
        }
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
        if (operation?.type === 'Default' && operation.operator.endsWith('=')) {
          opaque('it sets a variable while it reads it')
          variables.lose()
        }
        break
      }
      case 'ArithmeticExpansion':
        if (node.expression === undefined) opaque('its arithmetic cannot be read')
        break
      case 'ArithmeticWord':
        counter.counted(node.value)
        break
      default:
    }
    forEachChild(node, (child) => walker.scan(child, depth))
  }

  return { test, expansion }
}
