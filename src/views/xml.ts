// Text in XML 1.0: what it cannot hold is shown as \uXXXX, and nothing of the text is markup. One line, so that it is no command of a
// runner in whose log it is printed.
import { harmlessLine } from './harmless.ts'
import { noCommand } from './workflow-command.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

export const xmlText = (text: string): string =>
  noCommand(harmlessLine(text))
    .replace(/[\ufffe\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"']/g, (sign) => entities[sign]!)

/** ` a="1" b="2"`. What is undefined is left out. */
export const xmlAttributes = (values: Record<string, string | number | undefined>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${xmlText(String(value))}"`)
    .join('')
