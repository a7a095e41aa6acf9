import type { Logger } from '../foundation/logger.ts'
import type { Sight } from './sight.ts'

/** Finds pages on the web, or in any other collection. The tool `web_search` asks engines in plugin order until one answers. */
export interface SearchEngine {
  /** Unique among engines. The option `engines` of `web-search` names it. */
  readonly name: string
  /** The agreements under which the engine sees queries. One without them is never asked for keys with `zdr` or `hipaa` on. */
  readonly seesContent: Sight
  /** Used only for models of these providers. Default: for all models. */
  readonly forProviders?: readonly string[]
  /**
   * Finds pages, best first. An empty result is an answer, too. Throws a `ProviderFailure`; the next engine is then asked. Must stop soon
   * after `call.signal` aborts: when the caller leaves, or the time limit of the tool is over.
   */
  search(query: SearchQuery, call: SearchCall): Promise<SearchReply>
}

/** A search of the model, or of a caller. */
export interface SearchQuery {
  /** At least one character. The engine cuts queries that are too long for it. */
  readonly query: string
  /** The most results to return, from 1. More are ignored. */
  readonly maxResults: number
  /**
   * Only pages of these domains and their subdomains, such as `example.com`. Empty: all. An engine without such a filter puts it into the
   * query. Results are filtered again afterwards.
   */
  readonly allowedDomains: readonly string[]
  /** No pages of these domains and their subdomains. */
  readonly blockedDomains: readonly string[]
  /** Undefined: the caller gave none. */
  readonly userLocation: SearchLocation | undefined
}

/** The approximate place of the user. An engine without support for places puts it into the query, or leaves it out. */
export interface SearchLocation {
  /** Two letters, ISO 3166-1, in upper case. */
  readonly country?: string | undefined
  /** Such as `Bavaria`. */
  readonly region?: string | undefined
  /** Such as `Munich`. */
  readonly city?: string | undefined
  /** IANA, such as `Europe/Berlin`. */
  readonly timezone?: string | undefined
}

/** The surroundings of one search. */
export interface SearchCall {
  /** Aborts when the caller leaves, or the time limit of the tool is over. */
  readonly signal: AbortSignal
  /** Do not log the query. */
  readonly log: Logger
}

/** An engine's answer. */
export interface SearchReply {
  /** Best first. The tool drops those that the filters exclude. */
  readonly results: readonly FoundPage[]
}

/** One result. Models see its address, title and text. */
export interface FoundPage {
  /** Results whose address is not http or https are dropped. */
  readonly url: string
  /** Plain text. May be empty. */
  readonly title: string
  /** The text of the page, or the part of it that answers the query. May contain markup, which is removed afterwards. */
  readonly text: string
  /** As the engine writes it. */
  readonly publishedAt?: string | undefined
}
