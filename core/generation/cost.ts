import type { Price } from '../contracts/catalog.ts'
import { noUsage, type TokenUsage } from '../contracts/events.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { estimateInput, estimateTokens } from '../tokens/estimate.ts'

/** US dollars; null when the price is unknown. */
export function costOf(usage: TokenUsage, price: Price | undefined): number | null {
  if (!price) return null
  const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output } = usage
  const input =
    uncachedInput * price.input +
    cacheRead * (price.cacheRead ?? price.input) +
    cacheWrite5m * (price.cacheWrite5m ?? price.input) +
    cacheWrite1h * (price.cacheWrite1h ?? price.cacheWrite5m ?? price.input)
  return (input + output * price.output) / 1_000_000
}

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const toolCalls: Record<string, number> = { ...a.toolCalls }
  for (const [name, count] of Object.entries(b.toolCalls ?? {})) toolCalls[name] = (toolCalls[name] ?? 0) + count
  return {
    uncachedInput: a.uncachedInput + b.uncachedInput,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    ...((a.estimated || b.estimated) && { estimated: true }),
    ...(Object.keys(toolCalls).length > 0 && { toolCalls }),
  }
}

/** A guess for a reply whose vendor did not count, or that the client left before the count came. `said` is its length in characters. */
export function estimateUsage(request: GenerationRequest, said: number): TokenUsage {
  return { ...noUsage, uncachedInput: estimateInput(request), output: estimateTokens(said), estimated: true }
}
