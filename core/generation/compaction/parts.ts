import type { Item } from '../../contracts/items.ts'
import { divisions, isOutput } from './calls.ts'
import { lengthOfItem, shortOutput } from './item-length.ts'
import { cutMiddle, inWords } from './message-text.ts'

/** The conversation in parts of at most so many characters. No call is apart from its output. What is too long by itself loses its middle. */
export function partsOf(items: readonly Item[], longest: number): readonly (readonly Item[])[] {
  const parts: Item[][] = []
  let room = 0
  for (const block of blocksOf(items)) {
    const fitting = fitted(block, longest)
    const length = lengthOfAll(fitting)
    if (length > room || parts.length === 0) {
      parts.push([])
      room = longest
    }
    parts.at(-1)!.push(...fitting)
    room -= length
  }
  return parts
}

export function lengthOfAll(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + lengthOfItem(item), 0)
}

/** Items that belong together. */
function blocksOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const mayDivide = divisions(items)
  const blocks: Item[][] = []
  for (const [index, item] of items.entries()) {
    if (mayDivide[index] || blocks.length === 0) blocks.push([item])
    else blocks.at(-1)!.push(item)
  }
  return blocks
}

function fitted(block: readonly Item[], longest: number): readonly Item[] {
  const length = lengthOfAll(block)
  if (length <= longest) return block
  return block.map(item => shortened(item, Math.floor((lengthOfItem(item) * longest) / length)))
}

function shortened(item: Item, longest: number): Item {
  if (item.type === 'message') return { ...item, content: inWords(item, longest).content }
  if (isOutput(item)) return shortOutput(item, longest)
  if (item.type === 'custom_tool_call') return { ...item, input: cutMiddle(item.input, longest) }
  if (item.type !== 'function_call' || item.arguments.length <= longest) return item
  // Arguments stay JSON.
  return { ...item, arguments: JSON.stringify({ cut: cutMiddle(item.arguments, Math.floor(longest / 2)) }) }
}
