import { membersOf, type JsonObject, type TokenUsage } from '../../../core/index.ts'
import type { GenerateResult, Metadata } from './specification.ts'
import type { Vendor } from './vendor.ts'

type Usage = GenerateResult['usage']
type NestedUsage = Extract<Usage, { inputTokens: object }>
type FlatUsage = Exclude<Usage, NestedUsage>

/** Splits the counts into disjoint ones. Undefined if the package has none. */
export function usageOf(usage: Usage, metadata: Metadata | undefined, vendor: Vendor): TokenUsage | undefined {
  const counts = isNested(usage) ? nested(usage) : flat(usage, membersOf(membersOf(metadata?.[vendor.namespace])['usage']), vendor)
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
function nested({ inputTokens, outputTokens, raw }: NestedUsage): Counts | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined
  const { cacheRead = 0, cacheWrite = 0 } = inputTokens
  const { reasoning = 0, total: output = reasoning + (outputTokens.text ?? 0) } = outputTokens
  const uncachedInput = inputTokens.noCache ?? (inputTokens.total ?? 0) - cacheRead - cacheWrite
  return { uncachedInput, cacheRead, cacheWrite, longWrite: longWrite(membersOf(raw)), output, reasoning }
}

/** v2: cache writes are only in the vendor's own counts, if the package passes them on. */
function flat(usage: FlatUsage, raw: JsonObject, { countsCacheApart }: Vendor): Counts | undefined {
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return undefined
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens: cacheRead = 0, reasoningTokens: reasoning = 0 } = usage
  const uncachedInput = countsCacheApart ? inputTokens : inputTokens - cacheRead
  const cacheWrite = number(raw['cache_creation_input_tokens'])
  const thought = number(membersOf(raw['output_tokens_details'])['thinking_tokens'])
  return { uncachedInput, cacheRead, cacheWrite, longWrite: longWrite(raw), output: outputTokens, reasoning: reasoning || thought }
}

/** From Anthropic's counts. */
function longWrite(raw: JsonObject): number {
  return number(membersOf(raw['cache_creation'])['ephemeral_1h_input_tokens'])
}

function isNested(usage: Usage): usage is NestedUsage {
  return typeof usage.inputTokens === 'object'
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
