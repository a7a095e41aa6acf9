import type { JsonObject } from '../foundation/json.ts'
import type { Endpoint } from './catalog.ts'
import type { RunContext } from './run-context.ts'

// The common parts of embeddings and rerankings.

/** The kinds of calls that look up rather than generate. A catalog lists their models as endpoints of this `kind`. */
export const retrievalKinds = ['embedding', 'rerank'] as const
/** A kind of call that looks up. */
export type RetrievalKind = (typeof retrievalKinds)[number]

/** The vendor's own count of one request. */
export interface RetrievalUsage {
  /** Undefined if the vendor did not count: then core estimates. */
  readonly inputTokens?: number | undefined
  /** Search units, for vendors that bill a reranking by them. */
  readonly searchUnits?: number | undefined
}

/** One request to a vendor. */
export interface RetrievalCall<Request> {
  /** After guards, within the limits of the endpoint. Frozen. */
  readonly request: Request
  /** Its `upstreamModel` is the name for the vendor. */
  readonly endpoint: Endpoint
  /** The `id` of one of the provider's `credentials`. Undefined if it lists none. */
  readonly credentialId: string | undefined
  /** This attempt's signal. Aborted with the call, or when the attempt takes too long. */
  readonly signal: AbortSignal
  /** The request that it belongs to: its id, caller and policy. */
  readonly context: RunContext
  /** As in `ProviderCall`. */
  readonly traceparent?: string | undefined
  /**
   * Reports how many bytes of the reply have been received. Each call replaces the last number. Throws if the gateway has no memory left
   * for them. `httpProvider` calls it.
   */
  holds?(bytes: number): void
}

/** The members of every request, whatever its kind. */
export interface RetrievalRequest {
  /** As the caller wrote it: a name of the catalog, or `provider/model`. */
  readonly model: string
  /** A name for the caller's end user, passed on to vendors that take one, unless a guardrail reads the request. */
  readonly user?: string | undefined
  /** Names of other providers of the same model, and the sort of its endpoints. */
  readonly routing?:
    | {
        /** As in docs/protocol/routing.md. */
        readonly provider?: JsonObject | undefined
      }
    | undefined
  /** Members that core does not know. They go upstream, unless a guardrail reads the request. */
  readonly extra?: JsonObject | undefined
}
