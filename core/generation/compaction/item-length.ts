import type { ForeignItem, Item } from '../../contracts/items.ts'
import { agentToolOfOutput } from '../agent-tools/table.ts'
import { isCall, isOutput, spokenCall, type OutputItem } from './calls.ts'
import { isObject, type JsonObject } from '../../foundation/json.ts'
import { cutMiddle, lengthOf, wordsOf } from './message-text.ts'

/** Estimates the characters that a model reads of an item. */
export function lengthOfItem(item: Item): number {
  if (item.type === 'message') return lengthOf(item)
  if (isCall(item)) {
    const { name, input } = spokenCall(item)
    return name.length + input.length
  }
  if (isOutput(item)) {
    if (!isFunctions(item)) return outputWords(item).length
    return typeof item.output === 'string' ? item.output.length : lengthOf({ content: item.output })
  }
  return item.type === 'reasoning' ? 0 : JSON.stringify(item).length
}

/** The output of a call, with images and files only named. */
export function outputWords(item: OutputItem): string {
  if (!isFunctions(item)) return agentToolOfOutput(item.type)?.textOf?.(item) ?? JSON.stringify(item)
  return typeof item.output === 'string' ? item.output : item.output.map(wordsOf).join('\n')
}

/** An output without its middle, if it is too long. That of a tool of coding agents keeps its form: only its texts are cut. */
export function shortOutput(item: OutputItem, longest: number): Item {
  if (isFunctions(item)) return { ...item, output: cutMiddle(outputWords(item), longest) }
  if (outputWords(item).length <= longest) return item
  const { output } = item as JsonObject
  if (typeof output === 'string') return { ...item, output: cutMiddle(output, longest) }
  if (!Array.isArray(output)) return item
  const each = Math.floor(longest / (output.length * 2))
  const cut = (text: unknown): unknown => (typeof text === 'string' ? cutMiddle(text, each) : text)
  return { ...item, output: output.map(one => (isObject(one) ? { ...one, stdout: cut(one['stdout']), stderr: cut(one['stderr']) } : one)) }
}

/** The output of a function or a custom tool, which can be any text. Others have a form. */
export function isFunctions(item: OutputItem): item is Exclude<OutputItem, ForeignItem> {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
}
