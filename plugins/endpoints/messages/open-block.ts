import type { JsonObject } from '../../../core/index.ts'
import type { ItemDelta } from '../../../core/kit.ts'

/** A content block that is still open, or several that one item becomes. */
export interface OpenBlock {
  write(event: ItemDelta): void
  /** Members that only the vendor's dialect has. */
  extra(fields: JsonObject): void
  /** Writes the end, and adds the finished blocks. */
  close(): void
}

/** The members of its builder that an open block needs. */
export interface BlockContext {
  readonly streaming: boolean
  /** Starts a block, and returns its index. */
  start(block: JsonObject): number
  /** Sends a delta that is not a piece of text. */
  delta(index: number, delta: JsonObject): void
  /** Writes a frame of `deltaFrame`. */
  write(frame: string): void
  /** Ends the block. `block`: as it is in the finished message. Absent if it is not there. */
  stop(index: number, block: JsonObject | undefined): void
  /** The model refused, in these words. */
  refused(text: string): void
}
