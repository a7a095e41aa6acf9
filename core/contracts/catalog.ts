import type { Effort } from './request.ts'
import { token } from '../foundation/token.ts'

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number
  readonly output: number
  /** Absent: what is read from a cache costs what input does. */
  readonly cacheRead?: number | undefined
  /** Absent: what is written to a cache costs what input does. */
  readonly cacheWrite5m?: number | undefined
  /** Absent beside a price for five minutes: unknown. */
  readonly cacheWrite1h?: number | undefined
  /** Absent: thoughts cost what output does. */
  readonly reasoning?: number | undefined
}

/** What a model costs at a provider, at its standard service tier. */
export interface Price extends TokenPrices {
  /** Prices of the whole request where its input, cached or not, has more than `above` tokens; in ascending order. */
  readonly tiers?: readonly PriceTier[] | undefined
  /** US dollars for one search on the web that the vendor made. Absent is unknown. */
  readonly webSearch?: number | undefined
  /** US dollars for every request, on top of its tokens. */
  readonly request?: number | undefined
}

export interface PriceTier extends TokenPrices {
  readonly above: number
}

/**
 * What a model at a provider can do. A member that is absent is unknown: then the provider's own `capabilities` count, and what they
 * leave open is tried, save `customTools`, `namespaceTools` and `allowedTools`, which only few know and which lose nothing by being lowered.
 */
export interface Capabilities {
  readonly tools?: boolean | undefined
  readonly parallelTools?: boolean | undefined
  readonly customTools?: boolean | undefined
  readonly namespaceTools?: boolean | undefined
  /** `tool_choice` may list the tools that are allowed; elsewhere only those are offered. */
  readonly allowedTools?: boolean | undefined
  readonly structuredOutput?: 'json_schema' | 'json_object' | 'none' | undefined
  readonly efforts?: readonly Effort[] | undefined
  readonly verbosity?: boolean | undefined
  readonly temperature?: boolean | undefined
  readonly images?: boolean | undefined
  readonly files?: boolean | undefined
  readonly logprobs?: boolean | undefined
  readonly contextManagement?: boolean | undefined
  readonly webSearch?: boolean | undefined
}

/** A provider's certified policy of not retaining data for one model (docs/protocol/models.md). */
export interface Zdr {
  readonly policy_url: string
  readonly certificate_url?: string | undefined
}
export interface Hipaa {
  readonly baa_url: string
}

/** The vocabularies that the gateway can count with. */
export const tokenizers = ['o200k_base', 'cl100k_base'] as const
export type Tokenizer = (typeof tokenizers)[number]

/** A model at a provider. */
export interface Endpoint {
  /** A provider's id. */
  readonly provider: string
  /** The model's canonical name here. */
  readonly model: string
  /** `decision`: answers decisions and generates nothing, so that neither `auto` nor a name leads a generation to it. */
  readonly kind?: 'decision' | undefined
  /** The name that the vendor is asked for. */
  readonly upstreamModel: string
  /** False when the caller named a provider explicitly with a model that no catalog lists. */
  readonly listed: boolean
  readonly contextWindow?: number | undefined
  readonly maxOutputTokens?: number | undefined
  /** With which the model counts; undefined where the gateway has none that fits. */
  readonly tokenizer?: Tokenizer | undefined
  /** Undefined is unknown, never free. */
  readonly price?: Price | undefined
  readonly capabilities: Capabilities
  readonly zdr: Zdr | false
  readonly hipaa: Hipaa | false
}

export interface Model {
  /** Canonical name, as callers write it. */
  readonly id: string
  readonly aliases: readonly string[]
  /** Models that follow each other, such as `claude-sonnet`; undefined is unknown. */
  readonly family?: string | undefined
  /** Seconds since the epoch; 0 is unknown. */
  readonly created: number
  readonly ownedBy: string
  /** False: never chosen by `auto`. */
  readonly auto: boolean
  readonly endpoints: readonly Endpoint[]
}

/** One model as a source describes it; what is left out is unknown. */
export interface CatalogEntry {
  readonly model: string
  readonly aliases?: readonly string[]
  readonly family?: string
  readonly created?: number
  readonly ownedBy?: string
  readonly auto?: boolean
  /** The model is taken out as the sources before this one knew it; what this entry says of it stands alone. */
  readonly remove?: boolean
  readonly endpoints: readonly CatalogEndpoint[]
}

/** One model at one provider as a source describes it. */
export interface CatalogEndpoint extends Partial<Omit<Endpoint, 'model' | 'listed' | 'provider'>> {
  readonly provider: string
  /** The provider does not have the model here. */
  readonly remove?: boolean
}

/** Says what models there are. Read at start and after every change; a later source overrides an earlier one's endpoint of the same model and provider. */
export interface CatalogSource {
  readonly name: string
  /** Default: `provider`. */
  readonly rank?: CatalogRank
  /** One line on how much there is and how old it is, for `turnpike check`. */
  describe?(): string
  entries(): readonly CatalogEntry[]
  /** Ids of the providers, loaded or not, that have a model of this name or alias. Called when a request names a model that is not served. */
  providersOf?(name: string): readonly string[]
  /** Called once: the source calls `changed` whenever `entries()` would answer differently. */
  onChange?(changed: () => void): void
}

/** Later ones override earlier ones; within a rank, plugin order. */
export const catalogRanks = ['provider', 'bundled', 'operator'] as const
export type CatalogRank = (typeof catalogRanks)[number]

/** All models of all sources. Endpoints of providers that no plugin supplies are left out; those that decide stand as they are listed. */
export interface Catalog {
  /** By canonical name or alias, without a provider prefix. */
  resolve(name: string): Model | undefined
  /** A model at one provider: by canonical name, alias, or the name that this provider is asked for. */
  endpoint(provider: string, name: string): Endpoint | undefined
  /** In the order in which `auto` tries them: as the bundled catalog has them, then all others. The same list until something changes. */
  models(): readonly Model[]
  /** Known names that are spelled much like this one, best first; only those that `accepts` takes. */
  nearest(name: string, accepts?: (name: string) => boolean): readonly string[]
  /** What would make the gateway serve a model, or `provider/model`, that it does not: a sentence for the caller. */
  absence(name: string): string | undefined
}
export const Catalog = token<Catalog>('catalog')
