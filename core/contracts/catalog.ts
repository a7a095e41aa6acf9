import type { Effort } from './request.ts'
import { token } from '../token.ts'

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number | undefined
  readonly cacheWrite5m?: number | undefined
  readonly cacheWrite1h?: number | undefined
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

/** A provider's certified policy of not retaining data for one model (spec.md, "Per-provider ZDR status"). */
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
  /** Seconds since the epoch. */
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
  readonly created?: number
  readonly ownedBy?: string
  readonly auto?: boolean
  readonly endpoints: readonly (Pick<Endpoint, 'provider'> & Partial<Omit<Endpoint, 'provider' | 'model' | 'listed'>>)[]
}

/** Says what models there are. Read at start and after every change; a later source overrides an earlier one's endpoint of the same model and provider. */
export interface CatalogSource {
  readonly name: string
  entries(): readonly CatalogEntry[]
  /** Called once: the source calls `changed` whenever `entries()` would answer differently. */
  onChange?(changed: () => void): void
}

/** All models of all sources. Endpoints of providers that no plugin supplies are left out. */
export interface Catalog {
  /** By canonical name or alias, without a provider prefix. */
  resolve(name: string): Model | undefined
  models(): readonly Model[]
  /** Known names that are spelt much like this one, best first. */
  nearest(name: string): readonly string[]
}
export const Catalog = token<Catalog>('catalog')
