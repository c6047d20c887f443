// Names for what every dialect's entry gives. A program that declares its own types can pass on only what has a name in the entry it imports.
export type { Rec } from '../base/json.ts'
export type { Event, EventOf } from '../model/event.ts'
export type { Claimer, Decoder, Dialect, Encoder, Expression, LossTable, Order, Shapes, Sink, WritableDialect } from './contract.ts'
