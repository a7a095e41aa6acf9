import type { CatalogEntry } from '../../core/index.ts'
import type { CatalogEndpoint, Tokenizer } from '../../core/kit.ts'
import { makerOf, ownProviders } from './makers.ts'
import type { Offer } from './merge.ts'
import { resellers } from './provider-names.ts'
import { spellingOf } from './spelling.ts'
import type { Tally } from './tally.ts'
import { tokenizerOf } from './vendor-rules.ts'

/** One model with all its offers. */
export interface Group extends CatalogEntry {
  readonly ownedBy: string
  readonly aliases: readonly string[]
  readonly tokenizer: Tokenizer | undefined
  readonly offers: readonly Offer[]
}

/**
 * Groups offers of the same model. A name bound to an Amazon Bedrock region is a separate model: an alias must not move data to another
 * region.
 */
export function groupOffers(offers: readonly Offer[], tally: Tally): Group[] {
  const dates = Map.groupBy(
    offers.filter(({ spelling }) => spelling.date !== undefined),
    ({ spelling }) => spelling.undated,
  )
  const common = commonKeys(offers)
  const places = new Set(offers.map(({ provider, spelling }) => `${provider} ${spelling.key}`))
  const keyOf = (offer: Offer): string => {
    const { key, undated, date } = offer.spelling
    const title = keyOfTitle(offer)
    if (title !== undefined && !common.has(key) && common.has(title)) return title
    if (date === undefined) return key
    // If a name has only one dated version, both mean the same model, unless a provider sells both.
    const known = new Set(dates.get(undated)?.map(({ spelling }) => spelling.date))
    return known.size === 1 && !places.has(`${offer.provider} ${undated}`) ? undated : key
  }
  const drafts = Map.groupBy(offers.flatMap(chooseRegion(offers, keyOf)), ({ offer, bound }) =>
    bound ? `bedrock ${offer.wire}` : keyOf(offer),
  )
  const offered = new Set(offers.map(({ spelling }) => spelling.key))
  const groups = Array.from(drafts.values(), members =>
    groupOf(
      members.map(({ offer }) => offer),
      members[0]!.bound,
      offered,
      tally,
    ),
  )
  const named = groups.filter(({ model }) => model !== 'auto')
  if (named.length < groups.length) tally.leaveOut('a name that means something else here', 'auto')
  return withUniqueNames(named)
}

/** Keys that a maker or several hosts use. */
function commonKeys(offers: readonly Offer[]): ReadonlySet<string> {
  const groups = Map.groupBy(offers, ({ spelling }) => spelling.key)
  return new Set([...groups].filter(([, members]) => members.length > 1 || members[0]!.provider in ownProviders).map(([key]) => key))
}

/** For names such as `openai-gpt-54` with the title `GPT-5.4`. Undefined unless the two differ only in punctuation. */
function keyOfTitle({ provider, title, spelling }: Offer): string | undefined {
  if (title === undefined) return undefined
  const { key } = spellingOf(provider, title.replaceAll(' ', '-'))
  const undivided = (text: string): string => text.replace(/[^a-z0-9]/g, '')
  return undivided(key) === undivided(spelling.name) ? key : undefined
}

/**
 * Chooses the Amazon Bedrock name that represents the model: the global one, or else the one without a region. The others are bound to a
 * region.
 */
function chooseRegion(offers: readonly Offer[], keyOf: (offer: Offer) => string): (offer: Offer) => { offer: Offer; bound: boolean }[] {
  const preference = ['global', undefined, 'us', 'eu', 'apac', 'jp', 'au', 'ca', 'in', 'us-gov']
  const chosen = new Map<string, Offer>()
  for (const offer of offers) {
    if (offer.provider !== 'bedrock') continue
    const known = chosen.get(keyOf(offer))
    const rank = ({ spelling }: Offer): number => preference.indexOf(spelling.region)
    if (!known || rank(offer) < rank(known)) chosen.set(keyOf(offer), offer)
  }
  return offer => [{ offer, bound: offer.provider === 'bedrock' && chosen.get(keyOf(offer)) !== offer }]
}

function groupOf(all: readonly Offer[], bound: boolean, offered: ReadonlySet<string>, tally: Tally): Group {
  const byProvider = new Map<string, Offer>()
  // A provider's shortest name is the most general one.
  for (const offer of all.toSorted((a, b) => a.wire.length - b.wire.length || compare(a.wire, b.wire))) {
    if (byProvider.has(offer.provider)) tally.leaveOut('a second name of the same model at the same provider', offer.wire)
    else byProvider.set(offer.provider, offer)
  }
  const { key, undated } = all[0]!.spelling
  const maker = makerOf(
    key,
    [...byProvider.keys()],
    all.map(({ spelling }) => spelling.maker),
  )
  const offers = [...byProvider.values()].sort((a, b) => distance(a, maker) - distance(b, maker) || compare(a.provider, b.provider))
  const own = offers.find(({ provider }) => ownProviders[provider] === maker)
  const id = bound ? all[0]!.wire : nameOf(offers, maker)
  const created = all.map(({ spelling }) => spelling.date).find(date => date !== undefined)
  const family = all.map(offer => offer.family).find(known => known !== undefined)
  return {
    model: id,
    aliases: bound ? [] : aliasesOf(all, id, offered.has(undated) ? undefined : undated),
    ...(family !== undefined && { family }),
    ...(created !== undefined && { created: Date.parse(`${created.slice(0, 4)}-${created.slice(4, 6)}-${created.slice(6)}`) / 1000 }),
    ownedBy: maker,
    tokenizer: tokenizerOf(key),
    endpoints: offers.map(offer => endpointOf(offer, own)),
    offers,
  }
}

/** The maker's own platform first, then hosts, then resellers. */
function distance({ provider }: Offer, maker: string): number {
  if (ownProviders[provider] === maker) return 0
  return resellers.has(provider) ? 2 : 1
}

/** The maker's spelling, or else the most common one. */
function nameOf(offers: readonly Offer[], maker: string): string {
  const own = offers.find(({ provider }) => ownProviders[provider] === maker)
  if (own) return own.wire
  const counts = new Map<string, number>()
  for (const { spelling } of offers) counts.set(spelling.name, (counts.get(spelling.name) ?? 0) + 1)
  const [[most] = ['']] = [...counts].sort(([a, m], [b, n]) => n - m || a.length - b.length || compare(a, b))
  return most
}

/** Every spelling of the name, plus the forms with dashes only and without the date. */
function aliasesOf(all: readonly Offer[], id: string, undated: string | undefined): string[] {
  const names = all.flatMap(({ provider, wire, spelling }) => [
    spelling.name,
    ...(spelling.date === undefined ? [spelling.key] : []),
    ...(wire.includes('/') && !resellers.has(provider) && provider !== 'fireworks' && provider !== 'cloudflare' ? [wire] : []),
    ...(provider === 'openrouter' && !wire.startsWith('~') ? [wire] : []),
    ...(provider === 'bedrock' && spelling.region !== undefined ? [wire.slice(spelling.region.length + 1)] : []),
  ])
  const dates = new Set(all.map(({ spelling }) => spelling.date).filter(date => date !== undefined))
  return [...new Set(undated !== undefined && dates.size === 1 ? [...names, undated] : names)]
    .filter(name => name !== id && name !== 'auto')
    .sort(compare)
}

/** The host does not change whether reasoning can be turned off and sampling parameters are accepted. */
function endpointOf(
  { provider, wire, contextWindow, maxOutputTokens, price, capabilities }: Offer,
  own: Offer | undefined,
): CatalogEndpoint {
  const { efforts, temperature } = capabilities
  const canRest = own?.capabilities.efforts?.includes('none') && efforts && efforts.length > 0 && !efforts.includes('none')
  return {
    provider,
    upstreamModel: wire,
    contextWindow,
    maxOutputTokens,
    price,
    capabilities: {
      ...capabilities,
      ...(canRest && { efforts: ['none', ...efforts] }),
      ...(own?.capabilities.temperature === false && temperature === undefined && { temperature: false }),
    },
  }
}

/** Drops an alias that two models claim, and one that begins with a provider's slug, because it would hide that provider's models. */
function withUniqueNames(groups: readonly Group[]): Group[] {
  const slugs = new Set(groups.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider)))
  const ids = new Set(groups.map(({ model }) => model))
  if (ids.size < groups.length)
    throw new Error(
      `Two models have the same name: ${groups.map(({ model }) => model).filter((id, index, all) => all.indexOf(id) < index)}`,
    )
  const claims = new Map<string, number>()
  for (const { aliases } of groups) for (const alias of aliases) claims.set(alias, (claims.get(alias) ?? 0) + 1)
  return groups.map(group => ({
    ...group,
    aliases: group.aliases.filter(alias => claims.get(alias) === 1 && !ids.has(alias) && !slugs.has(alias.split('/')[0]!)),
  }))
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
