import type { Capabilities, Price } from '../../core/index.ts'
import { withRest } from './effort-levels.ts'
import { defined, type Listing } from './listing.ts'
import { ownProviders } from './makers.ts'
import { spellingOf, type Spelling } from './spelling.ts'

/** Everything the sources say about one model at one provider. */
export interface Offer extends Listing {
  readonly spelling: Spelling
}

/** The sources of each kind of fact, most trusted first, by their position in the argument of `mergeListings`. */
export interface Sources {
  readonly piAi: readonly Listing[]
  readonly piCatalog: readonly Listing[]
  readonly mastra: readonly Listing[]
  readonly genaiPrices: readonly Listing[]
}

/** Suffixes for a snapshot of a model, or for its latest version. */
const furtherName = /^-(\d{4}(-?\d\d-?\d\d)?|latest|beta|reasoning)(-latest)?$/

/** One offer per model and provider, regardless of how the sources spell the name. */
export function mergeListings(sources: Sources): Offer[] {
  const described = new Set([...sources.piAi, ...sources.piCatalog].map(({ provider }) => provider))
  const byPlace = new Map<string, Partial<Record<keyof Sources, Listing>>>()
  for (const name of ['piAi', 'piCatalog', 'mastra', 'genaiPrices'] as const)
    for (const listing of sources[name]) {
      const { key, region = '' } = spellingOf(listing.provider, listing.wire)
      const place = `${listing.provider} ${region} ${key}`
      const known = byPlace.get(place) ?? {}
      byPlace.set(place, { ...known, [name]: known[name] ?? listing })
    }
  const offers = Array.from(byPlace.values(), merge)
  const listed = new Map(
    offers.filter(({ fromPricesOnly }) => !fromPricesOnly).map(offer => [`${offer.provider} ${offer.spelling.key}`, offer]),
  )
  return offers.flatMap(offer => {
    if (!offer.fromPricesOnly || !described.has(offer.provider)) return offer
    // The price list keeps retired models. If other sources list a provider's models, it only adds alternative names.
    const same = offer.alsoBilledAs
      .filter(name => offer.wire.startsWith(name) && furtherName.test(offer.wire.slice(name.length)))
      .map(name => listed.get(`${offer.provider} ${spellingOf(offer.provider, name).key}`))
      .find(found => found !== undefined)
    return same && offer.provider in ownProviders ? { ...same, wire: offer.wire, spelling: offer.spelling } : []
  })
}

function merge({
  piAi,
  piCatalog,
  mastra,
  genaiPrices,
}: Partial<Record<keyof Sources, Listing>>): Offer & { fromPricesOnly: boolean; alsoBilledAs: readonly string[] } {
  const listed = piAi ?? piCatalog ?? mastra
  const first = listed ?? genaiPrices!
  const { provider, wire } = first
  const capabilities = mergeCapabilities(piAi?.capabilities, piCatalog?.capabilities, mastra?.capabilities, genaiPrices?.capabilities)
  return {
    fromPricesOnly: listed === undefined,
    alsoBilledAs: genaiPrices?.alsoBilledAs ?? [],
    provider,
    wire,
    spelling: spellingOf(provider, wire),
    title: piCatalog?.title ?? piAi?.title ?? genaiPrices?.title,
    contextWindow: agreed(piCatalog?.contextWindow, piAi?.contextWindow, genaiPrices?.contextWindow),
    maxOutputTokens: piAi?.maxOutputTokens ?? piCatalog?.maxOutputTokens,
    price: mergePrices(piAi?.price ?? piCatalog?.price, genaiPrices?.price),
    capabilities: { ...capabilities, ...defined({ efforts: withRest(capabilities.efforts, piAi?.rests ?? piCatalog?.rests) }) },
    family: piCatalog?.family,
    ability: piCatalog?.ability,
    ...((mastra?.deprecated || genaiPrices?.deprecated) && { deprecated: true as const }),
  }
}

/** The value that two sources agree on, or else the first: a source may have an outdated limit, or the length at which the price rises. */
function agreed(...values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter(value => value !== undefined)
  return known.find((value, index) => known.indexOf(value) < index) ?? known[0]
}

/** The fresher price, completed by the more detailed one if both agree on the base price. Search fees do not depend on the model. */
function mergePrices(fresh: Price | undefined, full: Price | undefined): Price | undefined {
  if (!fresh || !full) return fresh ?? full
  const same = fresh.input === full.input && fresh.output === full.output
  return { ...(same ? { ...defined(full), ...defined(fresh) } : fresh), webSearch: full.webSearch }
}

function mergeCapabilities(
  piAi: Capabilities = {},
  piCatalog: Capabilities = {},
  mastra: Capabilities = {},
  genaiPrices: Capabilities = {},
): Capabilities {
  const { temperature, ...listed } = defined(mastra)
  const reasons = (piAi.efforts ?? piCatalog.efforts)?.length !== 0
  // Models without reasoning accept a temperature. If the list says otherwise, it is incomplete.
  return {
    ...defined(genaiPrices),
    ...listed,
    ...(temperature === false && reasons && { temperature }),
    ...defined(piCatalog),
    ...defined(piAi),
  }
}
