import type { TokenUsage } from '../../core/index.ts'
import { tokenCount, tokenCountIfAny } from '../../core/kit.ts'

interface Counts {
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
  readonly cache_creation?: { readonly ephemeral_5m_input_tokens?: number; readonly ephemeral_1h_input_tokens?: number } | null
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null
  readonly server_tool_use?: Readonly<Record<string, number | null>> | null
}

/** The vendor's `usage`. */
export interface WireUsage extends Counts {
  readonly iterations?: readonly (Counts & { readonly type?: string })[] | null
}

/** A stream reports running totals: later counts replace earlier ones, and counts that are not repeated stay. */
export function latestUsage(before: WireUsage, now: WireUsage | null | undefined): WireUsage {
  return { ...before, ...Object.fromEntries(Object.entries(now ?? {}).filter(([, value]) => value !== null && value !== undefined)) }
}

/** `hasSaid`: the message has content, so output must be counted. */
export function usageOf(usage: WireUsage, hasSaid: boolean): TokenUsage {
  // Compaction is billed but not part of the totals ("Compaction", understanding usage).
  const compactions = Array.isArray(usage.iterations) ? usage.iterations.filter(({ type }) => type === 'compaction') : []
  const all = [disjoint(usage, hasSaid), ...compactions.map(each => disjoint(each, false))]
  const sum = (pick: (each: TokenUsage) => number): number => all.reduce((total, each) => total + pick(each), 0)
  const toolCalls = Object.entries(usage.server_tool_use ?? {}).flatMap(([name, count]) =>
    count && name.endsWith('_requests') ? [[name.slice(0, -'_requests'.length), count] as const] : [],
  )
  return {
    uncachedInput: sum(each => each.uncachedInput),
    cacheRead: sum(each => each.cacheRead),
    cacheWrite5m: sum(each => each.cacheWrite5m),
    cacheWrite1h: sum(each => each.cacheWrite1h),
    output: sum(each => each.output),
    reasoning: sum(each => each.reasoning),
    ...(toolCalls.length > 0 && { toolCalls: Object.fromEntries(toolCalls) }),
  }
}

function disjoint(counts: Counts, hasSaid: boolean): TokenUsage {
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: lasting } = counts.cache_creation ?? {}
  const long = tokenCountIfAny(lasting)
  const written = tokenCountIfAny(counts.cache_creation_input_tokens ?? tokenCountIfAny(short) + long)
  // The split may be older than the total, because a stream sends it only once, at its start.
  const cacheWrite1h = Math.min(long, written)
  return {
    uncachedInput: tokenCount(counts.input_tokens),
    cacheRead: tokenCountIfAny(counts.cache_read_input_tokens),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: hasSaid ? tokenCount(counts.output_tokens) : tokenCountIfAny(counts.output_tokens),
    reasoning: tokenCountIfAny(counts.output_tokens_details?.thinking_tokens),
  }
}
