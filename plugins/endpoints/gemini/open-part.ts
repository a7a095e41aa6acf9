import type { JsonObject } from '../../../core/index.ts'
import type { ItemDelta, LogProb } from '../../../core/kit.ts'
import type { Citations } from './citations.ts'

/** An item that is still open, and the parts that it becomes. */
export interface OpenPart {
  write(event: ItemDelta): void
  /** Members that only the vendor's dialect has. */
  extra(fields: JsonObject): void
  close(): void
}

/** The members of its builder that an open part needs. */
export interface PartContext {
  readonly streaming: boolean
  readonly citations: Citations
  /** The number of parts so far. */
  readonly parts: number
  /** Sends a part, or a piece of one. */
  send(part: JsonObject): void
  /** Sends a piece of text. The same as `send` with only a text, and cheaper. */
  sendText(text: string, isThought: boolean): void
  /** Keeps a finished part for the whole reply. */
  keep(part: JsonObject): void
  /** Holds a signature for the next part that can have it. */
  sign(signature: string, hasThought: boolean): void
  /** The signature that waits for a part. */
  takeSignature(): string | undefined
  logprobs(tokens: readonly LogProb[]): void
}

/** Stands for an item that this surface cannot show. */
export const unshown: OpenPart = { write() {}, extra() {}, close() {} }
