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

/** As counts can be: whole, none below zero, and no more reasoning than output. What a vendor counts wrongly must not be credited. */
export function soundUsage({ toolCalls, estimated, ...counts }: TokenUsage): TokenUsage {
  const output = soundCount(counts.output)
  return {
    uncachedInput: soundCount(counts.uncachedInput),
    cacheRead: soundCount(counts.cacheRead),
    cacheWrite5m: soundCount(counts.cacheWrite5m),
    cacheWrite1h: soundCount(counts.cacheWrite1h),
    output,
    reasoning: Math.min(soundCount(counts.reasoning), output),
    ...(estimated && { estimated }),
    ...(toolCalls && { toolCalls: Object.fromEntries(Object.entries(toolCalls).map(([name, count]) => [name, soundCount(count)])) }),
  }
}

/** No reply has more tokens than fit into 32 bits, so that sums and products stay exact. */
function soundCount(count: number): number {
  return count > 0 ? Math.min(Math.trunc(count), 0xffff_ffff) : 0
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
