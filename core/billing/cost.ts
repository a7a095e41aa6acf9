import type { Price, TokenPrices } from '../contracts/catalog.ts'
import { noUsage, type TokenUsage } from '../contracts/events.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { estimateInput, estimateTokens } from '../tokens/estimate.ts'

/** US dollars; null when a price that is needed is unknown. `usage` is that of one request to the vendor: the length of its input chooses the tier. */
export function costOf(usage: TokenUsage, price: Price | undefined): number | null {
  if (!price) return null
  const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning, toolCalls } = usage
  const rates = pricesAt(price, uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h)
  const cacheWrite1hPrice = rates.cacheWrite1h ?? (rates.cacheWrite5m === undefined ? rates.input : undefined)
  const searches = toolCalls?.['web_search'] ?? 0
  if (cacheWrite1h > 0 && cacheWrite1hPrice === undefined) return null
  if (searches > 0 && price.webSearch === undefined) return null
  const tokens =
    uncachedInput * rates.input +
    cacheRead * (rates.cacheRead ?? rates.input) +
    cacheWrite5m * (rates.cacheWrite5m ?? rates.input) +
    cacheWrite1h * (cacheWrite1hPrice ?? 0) +
    (output - reasoning) * rates.output +
    reasoning * (rates.reasoning ?? rates.output)
  return tokens / 1_000_000 + searches * (price.webSearch ?? 0) + (price.request ?? 0)
}

/** What all requests to the vendor came to that one generation took. Each is priced by itself: the length of its own input chooses its tier. */
export class Bill {
  usage = noUsage
  /** US dollars; null when the cost of any of them is unknown. */
  costUsd: number | null = 0

  /** Returns what this request cost. */
  add(usage: TokenUsage, price: Price | undefined): number | null {
    const costUsd = costOf(usage, price)
    this.usage = addUsage(this.usage, usage)
    this.costUsd = costUsd === null || this.costUsd === null ? null : this.costUsd + costUsd
    return costUsd
  }
}

/** The most that a request of this size can cost, its searches aside: every input token at the dearest price that it could have. */
export function highestCostOf(inputTokens: number, outputTokens: number, price: Price): number {
  const { input, output, cacheWrite5m = 0, cacheWrite1h = 0, reasoning = 0 } = pricesAt(price, inputTokens)
  const tokens = inputTokens * Math.max(input, cacheWrite5m, cacheWrite1h) + outputTokens * Math.max(output, reasoning)
  return tokens / 1_000_000 + (price.request ?? 0)
}

function pricesAt(price: Price, inputTokens: number): TokenPrices {
  return price.tiers?.findLast(({ above }) => inputTokens > above) ?? price
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

function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
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
