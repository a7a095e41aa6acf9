import type { DecisionReply, DecisionRequest, DecisionUsage } from '../contracts/decision.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'

/** The reply to one part of a request. */
export interface RepliedPart {
  readonly request: DecisionRequest
  readonly reply: DecisionReply
}

/** One reply of those to all parts: with every answer, and the sum of the usage. */
export function joinedReply(parts: readonly RepliedPart[]): DecisionReply {
  const replies = parts.map(({ reply }) => reply)
  const [first] = replies as [DecisionReply]
  if (replies.length === 1) return first
  const usages = replies.map(({ usage }) => usage)
  return {
    ...first,
    answers: Object.fromEntries(replies.flatMap(({ answers }) => Object.entries(answers))),
    usage: usages.every(usage => usage !== undefined) ? (usages.reduce<JsonObject>(sumOf, {}) as DecisionUsage) : undefined,
  }
}

/** Adds up the numbers of both, at any depth. Of other members, the first one stays. */
function sumOf(a: JsonObject, b: JsonObject): JsonObject {
  const sum: Record<string, unknown> = { ...a }
  for (const [name, value] of Object.entries(b)) {
    const other = sum[name]
    if (typeof value === 'number') sum[name] = typeof other === 'number' ? other + value : (other ?? value)
    else if (isObject(value)) sum[name] = isObject(other) ? sumOf(other, value) : (other ?? value)
    else sum[name] ??= value
  }
  return sum
}
