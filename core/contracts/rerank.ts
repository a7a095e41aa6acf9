import type { RetrievalCall, RetrievalRequest, RetrievalUsage } from './retrieval.ts'
import type { Endpoint } from './catalog.ts'

/** A reranking as its surface passes it to core. */
export interface RerankRequest extends RetrievalRequest {
  /** The text to which documents should be relevant. Not empty. */
  readonly query: string
  /** At least one. */
  readonly documents: readonly string[]
  /** How many results to return. Undefined: one for each document. */
  readonly top?: number | undefined
  /** The model reads at most so many tokens of each document. */
  readonly maxTokensPerDocument?: number | undefined
}

/** The relevance of one document. */
export interface RerankResult {
  /** The index of the document in the request. */
  readonly index: number
  /** The higher, the more relevant. Models differ in their range. */
  readonly score: number
}

/** A vendor's answer to one request. */
export interface RerankReply {
  /** Core sorts them, the best first. */
  readonly results: readonly RerankResult[]
  /** Undefined if the vendor does not count: then core estimates. */
  readonly usage?: RetrievalUsage | undefined
}

/** One request for a reranking to a vendor. */
export type RerankCall = RetrievalCall<RerankRequest>

/** What a provider has if it reranks. */
export interface Reranker {
  /** The most documents that one request may have. Core refuses more: the scores of two requests need not compare. */
  maxDocuments?(endpoint: Endpoint): number | undefined
  /** Called once per attempt. Throws `ProviderFailure`. */
  rerank(call: RerankCall): Promise<RerankReply>
}

/** The ranking of one request. */
export interface Reranked {
  /** `provider/model`. */
  readonly model: string
  /** The id of the provider that answered. */
  readonly provider: string
  /** The best first. */
  readonly results: readonly RerankResult[]
  /** As billed; an estimate if the vendor did not count. */
  readonly inputTokens: number
  /** Undefined if the vendor counts none. */
  readonly searchUnits: number | undefined
  /** In US dollars; null if unknown. */
  readonly costUsd: number | null
  /** How many were made. 0 if a call wrapper answered. */
  readonly attempts: number
}
