import type { Feature } from './feature.ts'
import type { RetrievalKind } from './retrieval.ts'
import type { AgentToolType, Effort } from './request.ts'
import { token } from '../foundation/token.ts'

/** US dollars per million tokens. */
export interface TokenPrices {
  /** Of uncached input. */
  readonly input: number
  /** With reasoning, unless `reasoning` has its own price. */
  readonly output: number
  /** If absent, cache reads cost as much as input. */
  readonly cacheRead?: number | undefined
  /** If absent, cache writes cost as much as input. */
  readonly cacheWrite5m?: number | undefined
  /** Unknown if only `cacheWrite5m` is set. */
  readonly cacheWrite1h?: number | undefined
  /** If absent, reasoning costs as much as output. */
  readonly reasoning?: number | undefined
}

/** The price of a model at a provider, at the standard service tier. */
export interface Price extends TokenPrices {
  /** Prices for the whole request when its input, cached or not, exceeds `above` tokens. In ascending order. */
  readonly tiers?: readonly PriceTier[] | undefined
  /** US dollars per web search by the vendor. Unknown if absent. */
  readonly webSearch?: number | undefined
  /** US dollars per request, in addition to its tokens. */
  readonly request?: number | undefined
  /** US dollars per search unit of a reranking. */
  readonly search?: number | undefined
}

/** The prices of a long request, for all of its tokens. */
export interface PriceTier extends TokenPrices {
  /** The number of input tokens that the request must exceed. */
  readonly above: number
}

/**
 * The capabilities of a model at a provider. An absent member is unknown: then the provider's own `capabilities` count, and core tries
 * capabilities that they leave open, except for `customTools`, `namespaceTools`, `allowedTools`, `builtInTools` and `choices`, which few
 * models support.
 */
export interface Capabilities {
  /** Calls functions. False: requests with tools go elsewhere. */
  readonly tools?: boolean | undefined
  /** Takes `parallel_tool_calls`. False: core leaves it out, with a warning. */
  readonly parallelTools?: boolean | undefined
  /** Takes tools of type `custom`. Unless true, core sends functions with one string. */
  readonly customTools?: boolean | undefined
  /** Takes tools of type `namespace`. Unless true, core sends their functions one by one. */
  readonly namespaceTools?: boolean | undefined
  /** `tool_choice` may list the allowed tools. Otherwise core offers only those tools. */
  readonly allowedTools?: boolean | undefined
  /** Runs tool types of the Responses API, such as `code_interpreter`. Other endpoints do not get them. */
  readonly builtInTools?: boolean | undefined
  /** The tools of coding agents that it has. If absent, all of them with `builtInTools`, and none without. */
  readonly agentTools?: readonly AgentToolType[] | undefined
  /** Makes the input of custom tools match their grammars. If absent, endpoints with `customTools` do. */
  readonly grammars?: boolean | undefined
  /** The strictest answer format that it enforces. `none`: core asks for the format in the prompt. */
  readonly structuredOutput?: 'json_schema' | 'json_object' | 'none' | undefined
  /** JSON mode requires the word "JSON" in `input`; the instructions do not count. */
  readonly jsonModeReadsInput?: boolean | undefined
  /** The efforts that it accepts. Others become the closest one. Empty: it does not reason. */
  readonly efforts?: readonly Effort[] | undefined
  /**
   * Bills reasoning that replies do not show. `asked`: only if the request sets an effort. If absent, endpoints with `efforts` do, and for
   * others their replies tell. Under a spend cap, such replies are held in full: docs/limits.md#spend-caps.
   */
  readonly hiddenReasoning?: boolean | 'asked' | undefined
  /** False: replies come whole. */
  readonly streaming?: boolean | undefined
  /** Takes `text.verbosity`. False: core leaves it out, with a warning. */
  readonly verbosity?: boolean | undefined
  /** Takes `temperature` and `top_p`. False: core leaves them out, with a warning. */
  readonly temperature?: boolean | undefined
  /** Reads images. False: requests with images go elsewhere. */
  readonly images?: boolean | undefined
  /** Reads files, such as PDFs. False: requests with files go elsewhere. */
  readonly files?: boolean | undefined
  /** Takes `logprobs` and `top_logprobs`. False: core leaves them out, with a warning. */
  readonly logprobs?: boolean | undefined
  /** Compacts conversations itself: docs/protocol/request.md#context-management. Unknown counts as false. */
  readonly contextManagement?: boolean | undefined
  /** The vendor searches the web itself. Unknown counts as false. */
  readonly webSearch?: boolean | undefined
  /** The vendor's search cannot be combined with functions. */
  readonly searchAlone?: boolean | undefined
  /** Gives the `choices` of a request in one reply. Unknown counts as false: then core asks once for each choice. */
  readonly choices?: boolean | undefined
}

/** A provider's certified zero-data-retention policy for one model (docs/protocol/models.md). */
export interface Zdr {
  /** The page with the vendor's policy. */
  readonly policy_url: string
  /** The page with the certificate. Absent if there is none. */
  readonly certificate_url?: string | undefined
  /** Exceptions from the policy. */
  readonly excludes?: readonly Feature[] | undefined
  /** The kinds of calls besides generations that it covers. */
  readonly covers?: readonly RetrievalKind[] | undefined
}
/** A provider's business associate agreement for one model: docs/protocol/keys-and-policy.md#certificates. */
export interface Hipaa {
  /** Where to read the agreement. */
  readonly baa_url: string
  /** Exceptions from the agreement. */
  readonly excludes?: readonly Feature[] | undefined
  /** The kinds of calls besides generations that it covers. */
  readonly covers?: readonly RetrievalKind[] | undefined
}

/** The vocabularies that the gateway can count tokens with. */
export const tokenizers = ['o200k_base', 'cl100k_base'] as const
/** A vocabulary that the gateway can count tokens with. */
export type Tokenizer = (typeof tokenizers)[number]

/** The kinds of calls that only their own endpoints answer. Endpoints without a kind answer generations. */
export type EndpointKind = 'decision' | RetrievalKind

/** One model at one provider. */
export interface Endpoint {
  /** A provider's id. */
  readonly provider: string
  /** The model's canonical name in this gateway. */
  readonly model: string
  /** The only kind of call that it answers. Absent: generations. */
  readonly kind?: EndpointKind | undefined
  /** The name sent to the vendor. */
  readonly upstreamModel: string
  /** False if the caller named this provider with a model that no catalog lists. */
  readonly listed: boolean
  /** Of an embedding model: the most tokens of one input. */
  readonly contextWindow?: number | undefined
  /** The most tokens of one answer; undefined if unknown. */
  readonly maxOutputTokens?: number | undefined
  /** The length of an embedding model's vectors, if the request asks for none. */
  readonly dimensions?: number | undefined
  /** The model's vocabulary; undefined if the gateway does not have it. */
  readonly tokenizer?: Tokenizer | undefined
  /** Absent means unknown, never free. */
  readonly price?: Price | undefined
  /** Absent members are unknown, not false. */
  readonly capabilities: Capabilities
  /** False: requests of keys with `zdr` on do not go there. */
  readonly zdr: Zdr | false
  /** False: requests of keys with `hipaa` on do not go there. */
  readonly hipaa: Hipaa | false
}

/** The names of an endpoint, which are the only known facts about one that no catalog lists. */
export type NamedEndpoint = Pick<Endpoint, 'provider' | 'model' | 'upstreamModel'>

/** A model of the merged catalog. */
export interface Model {
  /** The canonical name, as callers write it. */
  readonly id: string
  /** Other names that callers may write. */
  readonly aliases: readonly string[]
  /** The product line, such as `claude-sonnet`; undefined if unknown. */
  readonly family?: string | undefined
  /** Seconds since the epoch; 0 if unknown. */
  readonly created: number
  /** The vendor that made it, such as `openai`. */
  readonly ownedBy: string
  /** True if `auto` may choose it. */
  readonly auto: boolean
  /** One for each loaded provider that has it, and those of decisions. */
  readonly endpoints: readonly Endpoint[]
}

/** A model as a catalog source describes it. Absent members are unknown. */
export interface CatalogEntry {
  /** The canonical name, as callers write it. Entries of several sources with one name are merged. */
  readonly model: string
  /** Other names for it. */
  readonly aliases?: readonly string[]
  /** The product line, such as `claude-sonnet`. */
  readonly family?: string
  /** Seconds since the epoch. */
  readonly created?: number
  /** The vendor that made it, such as `openai`. */
  readonly ownedBy?: string
  /** True if `auto` may choose it. */
  readonly auto?: boolean
  /** Discards what earlier sources said about the model, so that only this entry counts. */
  readonly remove?: boolean
  /** One for each provider that has the model. */
  readonly endpoints: readonly CatalogEndpoint[]
}

/** A model at one provider as a catalog source describes it. */
export interface CatalogEndpoint extends Partial<Omit<Endpoint, 'model' | 'listed' | 'provider'>> {
  /** The id of a provider, loaded or not. */
  readonly provider: string
  /** Removes the endpoint that earlier sources contributed. */
  readonly remove?: boolean
}

/** Lists models. Core reads it at start and after every change. A later source overrides an earlier one's endpoint for the same model and provider. */
export interface CatalogSource {
  /** Unique among sources. `turnpike check` shows it. */
  readonly name: string
  /** Default: `provider`. */
  readonly rank?: CatalogRank
  /** One line about its size and age, for `turnpike check`. */
  summary?(): string
  /** Synchronous: return what is in memory. A throw fails the start; later, the earlier entries stay. */
  entries(): readonly CatalogEntry[]
  /** Ids of the providers, loaded or not, that have a model with this name or alias. Called when a request names a model that is not served. */
  providersOf?(name: string): readonly string[]
  /** Called once at start. Call `changed` whenever `entries()` would return something else. */
  onChange?(changed: () => void): void
}

/** Later ranks override earlier ones. Within a rank, plugin order decides. */
export const catalogRanks = ['provider', 'bundled', 'operator'] as const
/** `provider`: a plugin about its own models. `bundled`: the catalog in the package. `operator`: the config. */
export type CatalogRank = (typeof catalogRanks)[number]

/** All models of all sources, without endpoints whose provider is not loaded. Decision endpoints are kept as listed. */
export interface Catalog {
  /** By canonical name or alias, without a provider prefix. */
  resolve(name: string): Model | undefined
  /** A model at one provider, by canonical name, alias or upstream name. */
  endpoint(provider: string, name: string): Endpoint | undefined
  /** In the order in which `auto` tries them: the bundled catalog's, then all others. Returns the same array until something changes. */
  models(): readonly Model[]
  /** Known names with a similar spelling that `accepts` allows, best first. */
  nearest(name: string, accepts?: (name: string) => boolean): readonly string[]
  /** A sentence for the caller on how to make the gateway serve this model or `provider/model`. */
  absence(name: string): string | undefined
}
export const Catalog = token<Catalog>('catalog')

/** A provider that this gateway could load but did not. Named in the error of a request that asks for it. */
export interface AbsentProvider {
  /** The slug in `provider/model`. */
  readonly id: string
  /** Advice, as the rest of a sentence: `set ACME_API_KEY`. Callers read it, so it holds no secret. */
  readonly remedy: string
}
