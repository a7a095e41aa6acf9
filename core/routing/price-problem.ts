import type { Price, PriceTier, TokenPrices } from '../contracts/catalog.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'
import { show } from '../framework/shape.ts'

const required = ['input', 'output'] as const satisfies readonly (keyof TokenPrices)[]
const perToken: ReadonlySet<string> = new Set<keyof TokenPrices>([...required, 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'reasoning'])
const known: ReadonlySet<string> = new Set<string>([
  ...perToken,
  ...(['webSearch', 'request', 'search', 'tiers'] satisfies (keyof Price)[]),
])
const knownOfTier: ReadonlySet<string> = new Set<string>([...perToken, 'above' satisfies keyof PriceTier])

/**
 * Describes what is wrong with the price of an endpoint, as the end of a sentence. A wrong price would become a wrong bill, or a credit.
 */
export function priceProblem(price: unknown): string | undefined {
  return pricesProblem(price, 'price', known) ?? tiersProblem((price as JsonObject)['tiers'])
}

function pricesProblem(prices: unknown, path: string, members: ReadonlySet<string>): string | undefined {
  if (!isObject(prices)) return ` with a bad \`${path}\`: expected an object, got ${show(prices)}`
  for (const name in prices) {
    const value = prices[name]
    if (!members.has(name)) return ` with the unknown \`${path}.${name.slice(0, 40)}\`: expected ${[...members].join(', ')}`
    if (name !== 'tiers' && value !== undefined && !isPrice(value)) return badPrice(`${path}.${name}`, value)
  }
  const missing = required.find(name => prices[name] === undefined)
  return missing && badPrice(`${path}.${missing}`, undefined)
}

function tiersProblem(tiers: unknown): string | undefined {
  if (tiers === undefined) return undefined
  if (!Array.isArray(tiers)) return ` with a bad \`price.tiers\`: expected an array, got ${show(tiers)}`
  let before = -1
  for (const [index, tier] of tiers.entries()) {
    const problem = pricesProblem(tier, `price.tiers[${index}]`, knownOfTier)
    if (problem !== undefined) return problem
    const { above } = tier as { readonly above?: unknown }
    if (!isPrice(above) || above <= before)
      return ` with a bad \`price.tiers[${index}].above\`: expected a number of tokens, each more than the one before, got ${show(above)}`
    before = above
  }
  return undefined
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity
}

function badPrice(path: string, value: unknown): string {
  return ` with a bad \`${path}\`: expected US dollars from 0, got ${show(value)}`
}
