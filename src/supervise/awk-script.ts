// Whether a script of awk only computes and prints. It is read token by token; a token that could start a program or open a file is none.

/** Function and variable names by which awk reaches out. */
const reaching = new Set(['system', 'getline', 'ARGV', 'ARGC', 'ENVIRON', 'PROCINFO', 'extension'])
const maxDoubts = 8 // slashes that may be a division or begin an expression

type State = { at: number; depth: number; isPrinting: boolean; before: 'value' | 'closing' | 'other' }

/** False also when it cannot be told. */
export const awkScript = (script: string): boolean => readsOn(script, { at: 0, depth: 0, isPrinting: false, before: 'other' }, maxDoubts)

const token =
  /(?<blank>(?:[ \t\r\n]|\\\n)+)|(?<comment>#[^\n]*)|(?<text>"(?:\\[^]|[^"\\\n])*")|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?<name>[A-Za-z_]\w*)|(?<twice>\+\+|--)|(?<operator>\|\||&&|[-+*%^]=|\*\*=?|[!=<>]=|>>|[-+*%^!~?:=<>,;{}()[\]$&])/y
const expression = /\/(?:\\[^\n]|\[\^?\]?(?:\\.|\[:\w+:\]|\[(?!:\w+:\])|[^\]\\\n[])*\]|[^/\\\n[])*\//y

const words = new Set(
  'if else while for do switch case default print printf return in delete exit next nextfile function func BEGIN END'.split(' '),
)

function readsOn(script: string, from: State, doubts: number): boolean {
  const state = { ...from }
  while (state.at < script.length) {
    if (script[state.at] === '/') {
      if (state.before === 'other') {
        const end = endOfExpression(script, state.at)
        if (end === undefined) return false
        Object.assign(state, { at: end, before: 'value' })
      } else if (state.before === 'value') Object.assign(state, { at: state.at + 1, before: 'other' })
      else {
        if (doubts === 0) return false
        const end = endOfExpression(script, state.at) // without an end, it can only be a division
        const isExpressionFine = end === undefined || readsOn(script, { ...state, at: end, before: 'value' }, doubts - 1)
        return isExpressionFine && readsOn(script, { ...state, at: state.at + 1, before: 'other' }, doubts - 1)
      }
      continue
    }
    token.lastIndex = state.at
    const found = token.exec(script)
    if (found === null || !take(state, found[0], found.groups!)) return false
    state.at = token.lastIndex
  }
  return true
}

function endOfExpression(script: string, at: number): number | undefined {
  expression.lastIndex = at
  return expression.exec(script) === null ? undefined : expression.lastIndex
}

/** False: it may reach out. */
function take(state: State, text: string, { blank, comment, name, twice, operator }: Record<string, string | undefined>): boolean {
  if (comment !== undefined) return true
  if (blank !== undefined) {
    if (text.includes('\n') && state.before === 'value') state.before = 'closing' // it may end the statement
    return true
  }
  if (name !== undefined) {
    if (reaching.has(name)) return false
    if (name === 'print' || name === 'printf') state.isPrinting = true
    state.before = words.has(name) ? 'other' : name === 'length' ? 'closing' : 'value'
    return true
  }
  if (twice !== undefined) state.before = 'closing'
  else if (operator === undefined) state.before = 'value'
  else {
    if (/^[([]$/.test(text)) state.depth++
    if (/^[)\]]$/.test(text)) state.depth--
    if (/^>>?$/.test(text) && state.isPrinting && state.depth <= 0) return false
    if (text === ';' || text === '}') Object.assign(state, { isPrinting: false, depth: 0 })
    state.before = text === ')' ? 'closing' : text === ']' ? 'value' : 'other'
  }
  return true
}
