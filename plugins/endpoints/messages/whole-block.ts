import { isObject, type JsonObject } from '../../../core/index.ts'
import type { BlockContext, OpenBlock } from './open-block.ts'

/** A block that arrives whole, in the words of the vendor. */
export class WholeBlock implements OpenBlock {
  constructor(context: BlockContext, block: JsonObject) {
    const { type, input, content } = block
    if (typeof type === 'string' && type.endsWith('tool_use') && isObject(input)) {
      const index = context.start({ ...block, input: {} })
      context.delta(index, { type: 'input_json_delta', partial_json: JSON.stringify(input) })
      context.stop(index, block)
    } else if (type === 'compaction') {
      const index = context.start({ ...block, content: null })
      context.delta(index, { type: 'compaction_delta', content })
      context.stop(index, block)
    } else context.stop(context.start(block), block)
  }

  write(): void {}

  extra(): void {}

  close(): void {}
}

/** Stands for an item that this surface cannot show. */
export const unshown: OpenBlock = { write() {}, extra() {}, close() {} }
