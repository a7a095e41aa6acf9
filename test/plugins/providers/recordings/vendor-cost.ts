/** US dollars that a reply says it cost, in whichever way vendors say that; the last word of a stream counts. Undefined where it does not. */
export function vendorCost(body: string): number | undefined {
  const documents = body.trimStart().startsWith('{') ? [body] : Array.from(body.matchAll(/^data: ?(\{.*)$/gm), ([, data]) => data!)
  return documents.map(document => costIn(JSON.parse(document))).findLast(cost => cost !== undefined)
}

const tick = 1e-10

function costIn(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { usage, response } = value as { usage?: Record<string, unknown>; response?: unknown }
  if (response) return costIn(response)
  const { cost, cost_in_usd_ticks: ticks } = usage ?? {}
  if (typeof ticks === 'number') return ticks * tick
  if (typeof cost === 'object' && cost !== null) return (cost as { total_cost?: number }).total_cost
  return typeof cost === 'number' ? cost : undefined
}
