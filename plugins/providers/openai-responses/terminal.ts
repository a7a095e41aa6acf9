import { ProviderFailure, type JsonObject, type TokenUsage } from '../../../core/index.ts'
import { failureInside } from './failure.ts'
import type { OutputItems } from './output-items.ts'
import { number, object, objects, text } from './wire.ts'

/** Reads the final response object: the rest of the output, the usage, and the status. */
export function conclude(response: JsonObject, eventStatus: string | undefined, items: OutputItems): void {
  items.rest(objects(response.output))
  const usage = object(response.usage)
  if (usage) items.emit({ type: 'usage', usage: usageOf(usage, items.toolCalls) })
  const status = eventStatus ?? text(response.status) ?? (response.incomplete_details ? 'incomplete' : 'completed')
  switch (status) {
    case 'completed':
      return items.emit({ type: 'finish', reason: items.called ? 'tool-calls' : 'stop' })
    case 'incomplete': {
      const filtered = object(response.incomplete_details)?.reason === 'content_filter'
      return items.emit({ type: 'finish', reason: filtered ? 'content-filter' : 'length' })
    }
    case 'failed':
      throw failureInside(response.error, JSON.stringify(response.error ?? null))
    case 'cancelled':
      throw new ProviderFailure({ kind: 'unavailable', message: 'The provider cancelled the response.' })
    default:
      throw new ProviderFailure({ kind: 'protocol', message: `The provider sent a final response with the unknown status '${status}'.` })
  }
}

/** The vendor's input tokens include cache reads and writes. Its output tokens include reasoning. */
function usageOf(usage: JsonObject, toolCalls: Readonly<Record<string, number>>): TokenUsage {
  const input = object(usage.input_tokens_details)
  const cacheRead = number(input?.cached_tokens) ?? 0
  const cacheWrite5m = number(input?.cache_write_tokens) ?? 0
  return {
    uncachedInput: Math.max(0, (number(usage.input_tokens) ?? 0) - cacheRead - cacheWrite5m),
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: number(usage.output_tokens) ?? 0,
    reasoning: number(object(usage.output_tokens_details)?.reasoning_tokens) ?? 0,
    ...(Object.keys(toolCalls).length > 0 && { toolCalls: { ...toolCalls } }),
  }
}
