import type { SearchEvent, ToolEvent, ToolResult } from '../../contracts/tool.ts'
import { PluginError } from '../../foundation/errors.ts'
import { isObject } from '../../foundation/json.ts'

/** Checks what a tool's `run` returned. The messages are logged, so they show numbers, but no texts. */
export function checkedResult(result: unknown, plugin: string): ToolResult {
  if (!isObject(result)) throw new PluginError(plugin, `returned a bad result from run: expected an object, got ${kindOf(result)}`)
  const { output, counts, costUsd, shown } = result
  if (typeof output !== 'string') throw wrong(plugin, 'output', 'a string', output)
  if (costUsd !== undefined && !(typeof costUsd === 'number' && costUsd >= 0 && costUsd < Infinity))
    throw wrong(plugin, 'costUsd', 'US dollars from 0', costUsd)
  if (counts !== undefined) {
    if (!isObject(counts)) throw wrong(plugin, 'counts', 'an object of whole numbers', counts)
    const bad = Object.keys(counts).find(name => !isCount(counts[name]))
    if (bad !== undefined) throw wrong(plugin, 'counts', 'whole numbers from 0', counts[bad])
  }
  if (shown !== undefined && !(Array.isArray(shown) && shown.every(isShown)))
    throw wrong(plugin, 'shown', 'an array of search or item events', shown)
  return result as unknown as ToolResult
}

/** Checks what a tool's `started` returned. */
export function checkedStart(event: unknown, plugin: string): SearchEvent {
  if (isShown(event) && (event as ToolEvent).type === 'search') return event as SearchEvent
  throw new PluginError(plugin, `returned a bad event from started: expected a search event, got ${kindOf(event)}`)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isShown(value: unknown): boolean {
  if (!isObject(value)) return false
  if (value['type'] === 'item') return isObject(value['item']) && typeof value['item']['type'] === 'string'
  return value['type'] === 'search' && isObject(value['action'])
}

function wrong(plugin: string, member: string, expected: string, got: unknown): PluginError {
  return new PluginError(plugin, `returned from run a result with a bad \`${member}\`: expected ${expected}, got ${kindOf(got)}`)
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'string' || typeof value === 'function' ? `a ${typeof value}` : String(value)
}
