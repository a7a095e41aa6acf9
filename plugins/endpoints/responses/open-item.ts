import type { GenerationRequest, ItemDelta, JsonObject } from '../../../core/index.ts'

/** An output item while it is open. Writes its own events through the builder, which owns indexes and sequence numbers. */
export interface OpenItem {
  write(event: ItemDelta): void
  /** Writes its `.done` events and gives the finished item. */
  close(status: 'completed' | 'incomplete'): JsonObject
}

/** What an open item needs of its builder. */
export interface ItemContext {
  readonly request: GenerationRequest
  readonly outputIndex: number
  readonly streaming: boolean
  readonly refusalEvents: boolean
  send(type: string, fields: object): void
  /** A delta of the part whose frames begin with `head`; `rest` is what follows the text. */
  sendDelta(head: string, delta: string, rest: string): void
}
