import type { Price, TokenPrices } from '../contracts/catalog.ts'
import { isNoUsage, noUsage, type TokenUsage } from '../contracts/events.ts'

/** The name under which a usage counts search units of rerankings among its `toolCalls`. */
export const searchUnits = 'search_unit'

/**
 * In US dollars; null if a needed price is unknown. `usage` must be that of a single upstream request, since its input tokens decide the
 * price tier.
 */
export function costOf(usage: TokenUsage, price: Price | undefined): number | null {
  if (!price) return null
  const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning, toolCalls } = usage
  const rates = pricesAt(price, uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h)
  const cacheWrite1hPrice = rates.cacheWrite1h ?? (rates.cacheWrite5m === undefined ? rates.input : undefined)
  const searches = toolCalls?.['web_search'] ?? 0
  const units = toolCalls?.[searchUnits] ?? 0
  if (cacheWrite1h > 0 && cacheWrite1hPrice === undefined) return null
  if (searches > 0 && price.webSearch === undefined) return null
  if (units > 0 && price.search === undefined) return null
  const tokens =
    uncachedInput * rates.input +
    cacheRead * (rates.cacheRead ?? rates.input) +
    cacheWrite5m * (rates.cacheWrite5m ?? rates.input) +
    cacheWrite1h * (cacheWrite1hPrice ?? 0) +
    (output - reasoning) * rates.output +
    reasoning * (rates.reasoning ?? rates.output)
  return tokens / 1_000_000 + searches * (price.webSearch ?? 0) + units * (price.search ?? 0) + (price.request ?? 0)
}

/** Adds up the upstream requests of one operation. Each is priced separately, since its own input tokens decide its price tier. */
export class Bill {
  usage = noUsage
  /** In US dollars; null if the cost of any request is unknown. */
  costUsd: number | null = 0

  /** Returns the cost of this request in US dollars; null if unknown. */
  add(usage: TokenUsage, price: Price | undefined): number | null {
    const costUsd = costOf(usage, price)
    this.usage = addUsage(this.usage, usage)
    this.costUsd = costUsd === null || this.costUsd === null ? null : this.costUsd + costUsd
    return costUsd
  }

  /** Adds another bill. */
  include({ usage, costUsd }: Pick<Bill, 'usage' | 'costUsd'>): void {
    if (!isNoUsage(usage)) this.usage = addUsage(this.usage, usage)
    this.costUsd = costUsd === null || this.costUsd === null ? null : this.costUsd + costUsd
  }

  /** Adds calls of the gateway's own tools. */
  addTool(toolCalls: Readonly<Record<string, number>>, costUsd: number): void {
    this.usage = addUsage(this.usage, { ...noUsage, toolCalls })
    if (this.costUsd !== null) this.costUsd += costUsd
  }
}

/** The most that a request of this size can cost in US dollars, without searches: every token at its highest possible price. */
export function highestCostOf(inputTokens: number, outputTokens: number, price: Price): number {
  const { input, output, cacheWrite5m = 0, cacheWrite1h = 0, reasoning = 0 } = pricesAt(price, inputTokens)
  const tokens = inputTokens * Math.max(input, cacheWrite5m, cacheWrite1h) + outputTokens * Math.max(output, reasoning)
  return tokens / 1_000_000 + (price.request ?? 0)
}

function pricesAt(price: Price, inputTokens: number): TokenPrices {
  return price.tiers?.findLast(({ above }) => inputTokens > above) ?? price
}

/** Makes a vendor's counts plausible: whole, not negative, and no more reasoning than output. A wrong count must never become a credit. */
export function soundUsage(counts: TokenUsage): TokenUsage {
  const { toolCalls, estimated } = counts
  const output = soundCount(counts.output)
  const sound = {
    uncachedInput: soundCount(counts.uncachedInput),
    cacheRead: soundCount(counts.cacheRead),
    cacheWrite5m: soundCount(counts.cacheWrite5m),
    cacheWrite1h: soundCount(counts.cacheWrite1h),
    output,
    reasoning: Math.min(soundCount(counts.reasoning), output),
  }
  if (!estimated && !toolCalls) return sound
  return {
    ...sound,
    ...(estimated && { estimated }),
    ...(toolCalls && { toolCalls: Object.fromEntries(Object.entries(toolCalls).map(([name, count]) => [name, soundCount(count)])) }),
  }
}

/** Far more than one reply can have. A vendor's wrong count must not become an amount that no ledger can hold. */
const maxCount = 100_000_000

function soundCount(count: number): number {
  return count > 0 ? Math.min(Math.trunc(count), maxCount) : 0
}

function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  if (isNoUsage(a)) return b
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
