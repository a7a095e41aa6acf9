import type { SearchEvent, ToolEvent, ToolResult } from '../../contracts/tool.ts'
import { PluginError } from '../../foundation/errors.ts'
import { isObject } from '../../foundation/json.ts'

/** Checks what a tool's `run` returned. The messages are logged, so they describe shapes, never values. */
export function checkedResult(result: unknown, plugin: string): ToolResult {
  if (!isObject(result) || typeof result['output'] !== 'string') throw wrong(plugin, 'an object with an `output` text')
  const { counts, costUsd, shown } = result
  if (costUsd !== undefined && !(typeof costUsd === 'number' && costUsd >= 0 && costUsd < Infinity))
    throw wrong(plugin, 'a `costUsd` from 0')
  if (counts !== undefined && !(isObject(counts) && Object.values(counts).every(isCount))) throw wrong(plugin, 'whole numbers in `counts`')
  if (shown !== undefined && !(Array.isArray(shown) && shown.every(isShown))) throw wrong(plugin, 'search or item events in `shown`')
  return result as unknown as ToolResult
}

/** Checks what a tool's `started` returned. */
export function checkedStart(event: unknown, plugin: string): SearchEvent {
  if (isShown(event) && (event as ToolEvent).type === 'search') return event as SearchEvent
  throw new PluginError(plugin, 'returned what is none from started: expected a search event')
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isShown(value: unknown): boolean {
  if (!isObject(value)) return false
  if (value['type'] === 'item') return isObject(value['item']) && typeof value['item']['type'] === 'string'
  return value['type'] === 'search' && isObject(value['action'])
}

function wrong(plugin: string, expected: string): PluginError {
  return new PluginError(plugin, `returned a result that is none from run: expected ${expected}`)
}
