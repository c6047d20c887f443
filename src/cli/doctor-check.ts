// What one check of the doctor says.

export type Level = 'ok' | 'note' | 'problem'

export type Check = {
  section: string
  name: string
  level: Level
  text: string
  /** What to do about it. */
  hint?: string
}

export type Said = Omit<Check, 'section'>

export const ok = (name: string, text: string): Said => ({ name, level: 'ok', text })
export const note = (name: string, text: string, hint?: string): Said => ({
  name,
  level: 'note',
  text,
  ...(hint !== undefined && { hint }),
})
export const problem = (name: string, text: string, hint: string): Said => ({ name, level: 'problem', text, hint })
