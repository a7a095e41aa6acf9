import type { TokenUsage } from '../contracts/events.ts'

const counts = ['uncachedInput', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output', 'reasoning'] as const
const known: ReadonlySet<string> = new Set<keyof TokenUsage>([...counts, 'estimated', 'toolCalls'])

/** Why a usage that a plugin reported cannot be billed, by its member. Undefined if it can. Called once per answer. */
export function usageProblem(usage: unknown): string | undefined {
  if (typeof usage !== 'object' || usage === null) return `a usage that is no object: got ${shown(usage)}`
  for (const name in usage)
    if (!known.has(name)) return `a usage with the unknown member \`${name.slice(0, 40)}\`: expected ${counts.join(', ')} and toolCalls`
  const given = usage as Readonly<Record<string, unknown>>
  for (const name of counts) if (!isCount(given[name])) return bad(name, given[name])
  const { toolCalls } = given
  if (toolCalls === undefined) return undefined
  if (typeof toolCalls !== 'object' || toolCalls === null)
    return `a usage with a bad \`toolCalls\`: expected an object of numbers, got ${shown(toolCalls)}`
  for (const [name, value] of Object.entries(toolCalls)) if (!isCount(value)) return bad(`toolCalls.${name.slice(0, 40)}`, value)
  return undefined
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Infinity
}

function bad(name: string, value: unknown): string {
  const cause = Number.isNaN(value) ? ' (the provider left a count out, or sent one that is no whole number from 0)' : ''
  return `a usage with a bad \`${name}\`: expected a number from 0, got ${shown(value)}${cause}`
}

/** A usage has no texts, so one that is there may be content. */
function shown(value: unknown): string {
  if (typeof value === 'string') return 'a string'
  return typeof value === 'object' && value !== null ? 'an object' : typeof value === 'function' ? 'a function' : String(value)
}
