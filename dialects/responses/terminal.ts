import { ProviderFailure, type JsonObject, type TokenUsage } from '../../core/index.ts'
import { membersOf, tokenCount, tokenCountIfAny } from '../../core/kit.ts'
import { failureInside } from './failure.ts'
import type { OutputItems } from './output-items.ts'
import { object, objects, text } from './wire.ts'

/** Reads the final response object: the rest of the output, the usage, and the status. */
export function conclude(response: JsonObject, eventStatus: string | undefined, items: OutputItems): void {
  items.rest(objects(response.output))
  const { usage } = response
  if (usage !== undefined && usage !== null) items.emit({ type: 'usage', usage: usageOf(usage, items.toolCalls) })
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
function usageOf(usage: unknown, toolCalls: Readonly<Record<string, number>>): TokenUsage {
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details } = membersOf(usage)
  const input = object(input_tokens_details)
  const cacheRead = tokenCountIfAny(input?.cached_tokens)
  const cacheWrite5m = tokenCountIfAny(input?.cache_write_tokens)
  return {
    uncachedInput: Math.max(0, tokenCount(input_tokens) - cacheRead - cacheWrite5m),
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: tokenCount(output_tokens),
    reasoning: tokenCountIfAny(object(output_tokens_details)?.reasoning_tokens),
    ...(Object.keys(toolCalls).length > 0 && { toolCalls: { ...toolCalls } }),
  }
}
