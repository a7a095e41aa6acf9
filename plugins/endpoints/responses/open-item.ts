import type { JsonObject } from '../../../core/index.ts'
import type { ItemDelta } from '../../../core/kit.ts'
import type { Framing } from './frames.ts'
import type { RequestBody } from './request-body.ts'

/** An output item that is still open. It writes its events through the builder, which owns indexes and sequence numbers. */
export interface OpenItem {
  write(event: ItemDelta): void
  /** How many characters the finished item has, roughly. Absent if they are few, or its JSON was made at once before. */
  readonly characters?: number
  /** Writes its `.done` events and returns the finished item. */
  close(status: 'completed' | 'incomplete'): JsonObject
}

/** The members of its builder that an open item needs. */
export interface ItemContext {
  readonly request: RequestBody
  readonly outputIndex: number
  readonly streaming: boolean
  readonly framing: Framing
  readonly refusalEvents: boolean
  /**
   * Absent if the response is not streamed. Call it as `send?.(…)`, so that the fields are not even created then. `characters`: roughly how
   * many there are in the fields, if they may be many. Such fields must not change afterwards.
   */
  readonly send: ((type: string, fields: object, characters?: number) => void) | undefined
  /** Sends a delta. `head` is the start of its frame (`deltaHead`), `rest` the JSON after the text. */
  sendDelta(head: string, delta: string, rest: string): void
}
