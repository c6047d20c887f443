// What a model says, piece by piece, whoever serves it. `block` counts the blocks of one answer from 0; blocks may come interleaved.
import type { SharedV4ProviderMetadata, SharedV4Warning } from '@ai-sdk/provider'
import type { Rec } from '../../../base/json.ts'

/** What the provider wants back when the block is sent to it again (signatures, item ids): goes to `ext.builtin.metadata`. */
export type Metadata = SharedV4ProviderMetadata

export type ModelPart =
  | { type: 'thought.delta'; block: number; text: string }
  /** `text` is the whole block. `redacted`: the provider keeps it to itself; `partial`: the answer broke off in it. */
  | { type: 'thought.end'; block: number; text: string; redacted?: true; partial?: true; metadata?: Metadata }
  | { type: 'text.delta'; block: number; text: string }
  | { type: 'text.end'; block: number; text: string; partial?: true; metadata?: Metadata }
  /** A piece of a call's input, as JSON text; the first one may be empty. `tool.call` follows, unless the answer breaks off. */
  | { type: 'tool.delta'; block: number; id: string; name: string; text: string }
  | ToolCall
  | { type: 'notice'; level: 'info' | 'warn'; code: string; text: string; data?: Rec }

/** `id` is unique in its answer. With `bad` the input could not be read: it is the text as it came, `why` says what is wrong. */
export type ToolCall = { type: 'tool.call'; block: number; id: string; name: string; input: Rec; metadata?: Metadata } & (
  | { bad?: never; why?: never }
  | { bad: string; why: string }
)

export type Notice = Extract<ModelPart, { type: 'notice' }>

export function warningNotice(warning: SharedV4Warning): Notice {
  const text =
    warning.type === 'unsupported' || warning.type === 'compatibility'
      ? `the model's provider does not fully support ${warning.feature}${warning.details === undefined ? '' : `: ${warning.details}`}`
      : warning.type === 'deprecated'
        ? `${warning.setting} is deprecated: ${warning.message}`
        : warning.message
  return { type: 'notice', level: 'warn', code: 'model_warning', text }
}

/** Parts of an answer that are no words and no calls of ours. */
export const otherNotice = (type: string, data: Rec): Notice => ({
  type: 'notice',
  level: 'info',
  code: `model_${type.replaceAll('-', '_')}`,
  text: `the model gave a part of type "${type}", which is not shown`,
  data,
})
