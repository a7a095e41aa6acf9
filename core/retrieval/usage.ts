import { searchUnits, soundUsage } from '../billing/cost.ts'
import { noUsage, type TokenUsage } from '../contracts/events.ts'
import type { RetrievalUsage } from '../contracts/retrieval.ts'
import type { RetrievalReply } from './kind.ts'

/** The sum. A count that one of the replies does not have is unknown. */
export function joinedUsage(replies: readonly RetrievalReply[]): RetrievalUsage {
  const units = replies.map(({ usage }) => usage?.searchUnits)
  return {
    inputTokens: sumOf(replies.map(({ usage }) => usage?.inputTokens)),
    ...(units.some(count => count !== undefined) && { searchUnits: sumOf(units) }),
  }
}

/** Undefined if a vendor sent something that is no count. */
function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  return counts.every(count => typeof count === 'number' && count >= 0 && count < Infinity)
    ? counts.reduce<number>((sum, count) => sum + count!, 0)
    : undefined
}

/** The usage that vendors reported. Undefined if they counted neither tokens nor searches. */
export function countedUsage({ usage }: RetrievalReply): TokenUsage | undefined {
  const { inputTokens = usage?.searchUnits === undefined ? undefined : 0, searchUnits: units } = usage ?? {}
  if (inputTokens === undefined || !(inputTokens >= 0)) return undefined
  return soundUsage({ ...noUsage, uncachedInput: inputTokens, ...(units !== undefined && { toolCalls: { [searchUnits]: units } }) })
}
