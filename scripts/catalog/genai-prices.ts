import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Price } from '../../core/index.ts'
import { knownPrice, type Listing } from './listing.ts'
import { answersInText } from './not-text.ts'
import { slugOf } from './provider-names.ts'
import { wireName } from './wire-name.ts'

type Rate = number | { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] }
type Rates = Readonly<Record<string, Rate | undefined>>

interface PricedModel {
  readonly id: string
  readonly name?: string
  readonly match: unknown
  readonly context_window?: number
  readonly deprecated?: boolean
  readonly prices:
    | Rates
    | readonly { readonly constraint?: { readonly type: string; readonly start_date?: string }; readonly prices: Rates }[]
}

interface Library {
  findProvider(options: { providerId: string }): { readonly id: string; readonly models: readonly PricedModel[] } | undefined
}

const names = [
  'anthropic',
  'arcee',
  'avian',
  'aws',
  'azure',
  'baseten',
  'cerebras',
  'cloudflare',
  'cohere',
  'deepseek',
  'doubleword',
  'fireworks',
  'google',
  'groq',
  'minimax',
  'mistral',
  'moonshotai',
  'novita',
  'openai',
  'openrouter',
  'ovhcloud',
  'perplexity',
  'together',
  'x-ai',
  'zai',
] as const

/** @pydantic/genai-prices: prices by input length and cache lifetime, and fees per search or request. */
export async function genaiPrices(folder: string, today: string): Promise<Listing[]> {
  const library = (await import(pathToFileURL(join(folder, 'dist/index.js')).href)) as Library
  return names.flatMap(name =>
    library
      .findProvider({ providerId: name })!
      .models.flatMap(model =>
        slugsOf(name).flatMap(provider => namesOf(model).flatMap((id, _, names) => listing(provider, id, names, model, today))),
      ),
  )
}

/** Google charges the same for Gemini on both of its platforms. */
function slugsOf(name: string): string[] {
  return name === 'google' ? ['gemini', 'vertex'] : [slugOf(name)!]
}

const searching: ReadonlySet<string> = new Set(['anthropic', 'gemini', 'openai', 'vertex', 'xai'])

function listing(
  provider: string,
  id: string,
  alsoBilledAs: readonly string[],
  { name, context_window, prices, deprecated }: PricedModel,
  today: string,
): Listing[] {
  const wire = answersInText(id) ? wireName(provider, id) : undefined
  if (wire === undefined) return []
  const rates = current(prices, today)
  const isSearching = rates['web_searches_kcount'] !== undefined && searching.has(provider)
  return [
    {
      provider,
      wire,
      title: name,
      contextWindow: context_window,
      price: priceOf(rates, wire),
      capabilities: { webSearch: isSearching ? true : undefined },
      alsoBilledAs,
      ...(deprecated && { deprecated: true as const }),
    },
  ]
}

/** The names under which the model is billed, if the match lists them. */
function namesOf({ id, match }: PricedModel): string[] {
  const found = new Set([id])
  const visit = (logic: unknown): void => {
    const { equals, or } = logic as { equals?: string; or?: readonly unknown[] }
    if (equals !== undefined) found.add(equals)
    or?.forEach(visit)
  }
  visit(match)
  return [...found]
}

/** Today's prices. If they change with the time of day, the highest. */
function current(prices: PricedModel['prices'], today: string): Rates {
  if (!Array.isArray(prices)) return prices as Rates
  const begun = prices.filter(({ constraint }) => constraint?.start_date === undefined || constraint.start_date <= today)
  const dated = begun.filter(({ constraint }) => constraint?.type === 'start_date')
  if (dated.length > 0) return dated.at(-1)!.prices
  return begun.reduce(
    (dearest, { prices: rates }) => (base(rates['input_mtok']) > base(dearest['input_mtok']) ? rates : dearest),
    begun[0]!.prices,
  )
}

function base(rate: Rate | undefined): number {
  return typeof rate === 'object' ? rate.base : (rate ?? 0)
}

/** The rates that the catalog also has: text per million tokens, and fees per thousand. */
function priceOf(rates: Rates, wire: string): Price | undefined {
  const { input_mtok: input, output_mtok: output, web_searches_kcount: search, requests_kcount: request } = rates
  if (input === undefined || output === undefined) return undefined
  const starts = Object.values(rates).flatMap(rate => (typeof rate === 'object' ? rate.tiers.map(({ start }) => start) : []))
  const tiers = [...new Set(starts)].sort((a, b) => a - b).map(start => ({ above: start, ...ratesAt(rates, start) }))
  const price = {
    ...ratesAt(rates, -1),
    ...(tiers.length > 0 && { tiers }),
    ...(search !== undefined && { webSearch: base(search) / 1000 }),
    ...(request !== undefined && { request: base(request) / 1000 }),
  }
  return knownPrice(price, wire)
}

function ratesAt(rates: Rates, start: number): Price {
  const at = (name: string): number | undefined => {
    const rate = rates[name]
    return typeof rate === 'object' ? (rate.tiers.findLast(tier => tier.start <= start)?.price ?? rate.base) : rate
  }
  return {
    input: at('input_mtok')!,
    output: at('output_mtok')!,
    cacheRead: at('cache_read_mtok'),
    cacheWrite5m: at('cache_write_mtok'),
    cacheWrite1h: at('cache_write_1h_mtok'),
    reasoning: at('output_reasoning_mtok'),
  }
}
