import type { Reading, ToolCallReading, UsageReading } from '../oracle/reading.ts'

/** A reading without its end and its usage. */
export type Said = Omit<Reading, 'usage' | 'finish' | 'error'>

/** The differences in content, one sentence each. */
export function differencesInSpeech(expected: Said, actual: Said): string[] {
  return [
    ...differ('text', expected.text, actual.text),
    ...differ('refusal', expected.refusal, actual.refusal),
    ...differ('reasoning', expected.reasoning, actual.reasoning),
    ...differ('tool calls', JSON.stringify(expected.toolCalls), JSON.stringify(actual.toolCalls)),
    ...differ('citations', expected.citations.join(' '), actual.citations.join(' ')),
    ...differ('sources', expected.sources.join(' '), actual.sources.join(' ')),
    ...differ('other items', expected.others.join(', '), actual.others.join(', ')),
  ]
}

/**
 * Where the counts differ. What the vendor did not tell counts as none, and without any usage there is nothing to compare.
 * Cached tokens are part of the input here: where a vendor counts more of them than input, they are all of it.
 */
export function differencesInUsage(expected: UsageReading | null, actual: UsageReading | null): string[] {
  if (!expected) return []
  if (!actual) return [`usage: the vendor told ${JSON.stringify(expected)}, and nothing arrived`]
  const cached = Math.min(expected.cached ?? 0, expected.input)
  const cacheWrite = Math.min(expected.cacheWrite ?? 0, expected.input - cached)
  const counts = { ...expected, cached, cacheWrite, reasoning: expected.reasoning ?? 0 }
  const members = ['input', 'cached', 'cacheWrite', 'output', 'reasoning'] as const
  return members.flatMap(member => differ(`usage.${member}`, counts[member], actual[member]))
}

export function differ(what: string, expected: unknown, actual: unknown): string[] {
  if (expected === actual) return []
  if (typeof expected !== 'string' || typeof actual !== 'string') return [`${what}: expected ${expected}, got ${actual}`]
  const from = Math.max(0, firstDifference(expected, actual) - 40)
  return [`${what}: expected …${JSON.stringify(expected.slice(from, from + 160))}, got …${JSON.stringify(actual.slice(from, from + 160))}`]
}

function firstDifference(one: string, other: string): number {
  let index = 0
  while (index < one.length && one[index] === other[index]) index++
  return index
}

/** A call without arguments may be said as nothing or as null, and is passed on as an empty object; one that was cut short stays as it is. */
export function normalCalls(calls: readonly ToolCallReading[], cutShort: boolean): readonly ToolCallReading[] {
  return calls.map(call =>
    !call.custom && !cutShort && (call.arguments === '' || call.arguments === 'null') ? { ...call, arguments: '{}' } : call,
  )
}
