// Colours and weights of a terminal, by what they mean. Without colour every one of them is the text itself.

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const

export type Style = { readonly [Name in keyof typeof codes]: (text: string) => string }

const colours = Object.fromEntries(
  Object.entries(codes).map(([name, [on, off]]) => [
    name,
    // A piece inside may switch off what this one has switched on: it is switched on again behind it.
    (text: string) => {
      if (text === '') return ''
      const inner = text.includes(`\x1b[${off}m`) ? text.replaceAll(`\x1b[${off}m`, `\x1b[${off}m\x1b[${on}m`) : text
      return `\x1b[${on}m${inner}\x1b[${off}m`
    },
  ]),
) as Style
const same = (text: string): string => text
const none = Object.fromEntries(Object.keys(codes).map((name) => [name, same])) as Style

export const styleFor = (colour: boolean): Style => (colour ? colours : none)
