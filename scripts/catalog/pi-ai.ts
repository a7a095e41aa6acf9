import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Price } from '../../core/index.ts'
import { effortsFromLevels } from './effort-levels.ts'
import { knownPrice, positive, type Listing } from './listing.ts'
import { answersInText } from './not-text.ts'
import { readJson } from './packages.ts'
import { rates, type Cost } from './pi-catalog.ts'
import { slugOf } from './provider-names.ts'
import type { Tally } from './tally.ts'
import { wireName } from './wire-name.ts'

interface Entry {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly api: string
  readonly reasoning?: boolean
  readonly input: readonly string[]
  readonly cost: Cost & { readonly tiers?: readonly (Cost & { readonly inputTokensAbove: number })[] }
  readonly contextWindow?: number
  readonly maxTokens?: number
  readonly compat?: { readonly thinkingFormat?: string }
  readonly thinkingLevelMap?: Readonly<Record<string, string | null>>
}

/** @earendil-works/pi-ai: the freshest source. According to its README, every chat model in it can call tools. */
export function piAi(folder: string, tally: Tally): Listing[] {
  const data = join(folder, 'dist/providers/data')
  const files = readdirSync(data).filter(file => /^[^.].*\.json$/.test(file))
  return files.sort().flatMap(file => {
    const provider = slugOf(file.replace('.json', ''))
    const entries = Object.values(readJson(data, file) as Record<string, Record<string, Entry>>).flatMap(Object.values<Entry>)
    return entries.flatMap(entry => {
      if (provider === undefined) return tally.leaveOut('subscription, editor, local engine or search', entry.id)
      if (entry.type !== 'chat' || !answersInText(entry.id)) return tally.leaveOut('not text', entry.id)
      const wire = wireName(provider, entry.id)
      return wire === undefined ? tally.leaveOut('another dialect at this provider', entry.id) : [listing(provider, wire, entry)]
    })
  })
}

function listing(provider: string, wire: string, entry: Entry): Listing {
  const { thinkingLevelMap } = entry
  return {
    provider,
    wire,
    title: entry.name,
    contextWindow: positive(entry.contextWindow),
    maxOutputTokens: entry.maxTokens === entry.contextWindow ? undefined : positive(entry.maxTokens),
    price: knownPrice(priceOf(entry.cost), wire),
    rests: entry.reasoning ? restsOf(entry) : undefined,
    capabilities: {
      tools: true,
      images: entry.input.includes('image'),
      efforts: entry.reasoning ? thinkingLevelMap && effortsFromLevels(thinkingLevelMap) : [],
    },
  }
}

/** Dialects with a separate switch for reasoning: `off` is supported even if it is not among the levels. */
const switched = /^(deepseek|qwen|together|zai)$/

function restsOf({ api, thinkingLevelMap, compat }: Entry): boolean | undefined {
  const off = thinkingLevelMap?.['off']
  if (off === null) return false
  if (off !== undefined) return true
  const isSwitched = /^(anthropic|bedrock)/.test(api) || switched.test(compat?.thinkingFormat ?? '')
  return thinkingLevelMap && isSwitched ? true : undefined
}

function priceOf({ tiers, ...cost }: Entry['cost']): Price {
  const all = tiers?.map(({ inputTokensAbove, ...above }) => ({ above: inputTokensAbove, ...rates(above) }))
  return { ...rates(cost), ...(all && all.length > 0 && { tiers: all }) }
}
