// Writes a recorded script as a person would: YAML with texts as blocks, or JSON, by the ending of the file.
import type { RawScript } from './load.ts'

export type Format = 'yaml' | 'json'

/** Undefined: the name says neither. */
export const formatOf = (file: string): Format | undefined => (/\.ya?ml$/i.test(file) ? 'yaml' : /\.json$/i.test(file) ? 'json' : undefined)

/** Short mappings that stand on one line. */
const onOneLine: ReadonlySet<unknown> = new Set(['usage', 'when'])

export async function scriptText(script: RawScript, format: Format): Promise<string> {
  if (format === 'json') return `${JSON.stringify(script, null, 2)}\n`
  const { Document, isMap, isScalar, visit } = await import('yaml')
  const document = new Document(script, { aliasDuplicateObjects: false })
  document.commentBefore = ' recorded with sluice model record'
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key) && onOneLine.has(key.value) && isMap(value)) value.flow = true
    },
    Scalar(_, scalar) {
      // As a block, a text of nothing but blanks and line breaks would lose some.
      if (typeof scalar.value === 'string' && scalar.value.trim() === '') scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ lineWidth: 0, blockQuote: 'literal', flowCollectionPadding: false })
}
