import type { Item } from '../../contracts/items.ts'
import { isCall, isOutput, type OutputItem } from './calls.ts'
import { lengthOf, wordsOf } from './message-text.ts'

/** Estimates the characters that a model reads of an item. */
export function lengthOfItem(item: Item): number {
  if (item.type === 'message') return lengthOf(item)
  if (isCall(item)) return item.name.length + (item.type === 'function_call' ? item.arguments : item.input).length
  if (isOutput(item)) return typeof item.output === 'string' ? item.output.length : lengthOf({ content: item.output })
  return item.type === 'reasoning' ? 0 : JSON.stringify(item).length
}

/** The output of a call, with images and files only named. */
export function outputWords({ output }: OutputItem): string {
  return typeof output === 'string' ? output : output.map(wordsOf).join('\n')
}
