import type { RetrievalCall, RetrievalRequest, RetrievalUsage } from './retrieval.ts'
import type { Endpoint } from './catalog.ts'

export interface RerankRequest extends RetrievalRequest {
  readonly query: string
  /** At least one. */
  readonly documents: readonly string[]
  /** How many results to return. Undefined: one for each document. */
  readonly top?: number | undefined
  /** The model reads at most so many tokens of each document. */
  readonly maxTokensPerDocument?: number | undefined
}

export interface RerankResult {
  /** The index of the document in the request. */
  readonly index: number
  /** The higher, the more relevant. Models differ in their range. */
  readonly score: number
}

export interface RerankReply {
  /** Core sorts them, the best first. */
  readonly results: readonly RerankResult[]
  readonly usage?: RetrievalUsage | undefined
}

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
  readonly provider: string
  /** The best first. */
  readonly results: readonly RerankResult[]
  readonly inputTokens: number
  /** Undefined if the vendor counts none. */
  readonly searchUnits: number | undefined
  readonly costUsd: number | null
  readonly attempts: number
}
