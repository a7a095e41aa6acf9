import type { JsonObject, TokenUsage } from '../../../core/index.ts'
import { membersOf, tokenCount, tokenCountIfAny } from '../../../core/kit.ts'
import type { GenerateResult, Metadata } from './specification.ts'
import type { Vendor } from './vendor.ts'

type Usage = GenerateResult['usage']
type NestedUsage = Extract<Usage, { inputTokens: object }>
type FlatUsage = Exclude<Usage, NestedUsage>

/** Splits the counts into disjoint ones. Undefined if the package has none. `hasSaid`: the answer has output. */
export function usageOf(usage: Usage, metadata: Metadata | undefined, vendor: Vendor, hasSaid: boolean): TokenUsage | undefined {
  const counts = isNested(usage) ? nested(usage, hasSaid) : flat(usage, membersOf(membersOf(metadata?.[vendor.namespace])['usage']), vendor)
  if (!counts) return undefined
  const cacheWrite1h = Math.min(counts.longWrite, counts.cacheWrite)
  return {
    uncachedInput: Math.max(0, counts.uncachedInput),
    cacheRead: counts.cacheRead,
    cacheWrite5m: counts.cacheWrite - cacheWrite1h,
    cacheWrite1h,
    output: counts.output,
    reasoning: Math.min(counts.reasoning, counts.output),
  }
}

interface Counts extends Pick<TokenUsage, 'uncachedInput' | 'cacheRead' | 'output' | 'reasoning'> {
  readonly cacheWrite: number
  /** The part of `cacheWrite` that lasts an hour. */
  readonly longWrite: number
}

/** v3 and v4. */
function nested({ inputTokens, outputTokens, raw }: NestedUsage, hasSaid: boolean): Counts | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined
  const cacheRead = tokenCountIfAny(inputTokens.cacheRead)
  const cacheWrite = tokenCountIfAny(inputTokens.cacheWrite)
  const reasoning = tokenCountIfAny(outputTokens.reasoning)
  const told = membersOf(raw)
  // Packages turn a count that the vendor left out into 0.
  const isLeftOut = (count: number): boolean => count === 0 && raw !== undefined && !Object.values(told).includes(0)
  const output = tokenCount(outputTokens.total ?? reasoning + tokenCountIfAny(outputTokens.text))
  const total = tokenCount(inputTokens.total ?? tokenCount(inputTokens.noCache) + cacheRead + cacheWrite)
  const uncachedInput = inputTokens.noCache ?? total - cacheRead - cacheWrite
  return {
    uncachedInput: isLeftOut(total) ? Number.NaN : uncachedInput,
    cacheRead,
    cacheWrite,
    longWrite: longWrite(told),
    output: hasSaid && isLeftOut(output) ? Number.NaN : output,
    reasoning,
  }
}

/** v2: cache writes are only in the vendor's own counts, if the package passes them on. */
function flat(usage: FlatUsage, raw: JsonObject, { countsCacheApart }: Vendor): Counts | undefined {
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return undefined
  const cacheRead = tokenCountIfAny(usage.cachedInputTokens)
  const reasoning = tokenCountIfAny(usage.reasoningTokens)
  const input = tokenCount(usage.inputTokens)
  const uncachedInput = countsCacheApart ? input : input - cacheRead
  const cacheWrite = tokenCountIfAny(raw['cache_creation_input_tokens'])
  const thought = tokenCountIfAny(membersOf(raw['output_tokens_details'])['thinking_tokens'])
  const output = tokenCount(usage.outputTokens)
  return { uncachedInput, cacheRead, cacheWrite, longWrite: longWrite(raw), output, reasoning: reasoning === 0 ? thought : reasoning }
}

/** From Anthropic's counts. */
function longWrite(raw: JsonObject): number {
  return tokenCountIfAny(membersOf(raw['cache_creation'])['ephemeral_1h_input_tokens'])
}

function isNested(usage: Usage): usage is NestedUsage {
  return typeof usage.inputTokens === 'object'
}
