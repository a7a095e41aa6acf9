import type { TokenNeed } from '../billing/token-need.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import type { RetrievalCall, RetrievalKind, RetrievalRequest, RetrievalUsage } from '../contracts/retrieval.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'

export interface RetrievalReply {
  readonly usage?: RetrievalUsage | undefined
}

/** A text of a request, for guardrails. */
export type RetrievalText = string | readonly number[]

/** What embeddings and rerankings do differently. Everything else is the same for both: `Retrieval`. */
export interface KindOfRetrieval<Request extends RetrievalRequest, Reply extends RetrievalReply> {
  readonly kind: RetrievalKind
  /** Completes "The model … ". */
  readonly verb: string
  /** All that the model reads. Lists of tokens stay as they are. */
  texts(request: Request): readonly RetrievalText[]
  /** The request with other texts in place of those, one for each. */
  withTexts(request: Request, texts: readonly string[]): Request
  /** The tokens to reserve. */
  need(request: Request): TokenNeed
  /** True if the provider has the kind at all. */
  isServedBy(provider: Provider): boolean
  /** True if the provider takes lists of tokens. */
  takesTokens(provider: Provider): boolean
  /** The reason why the endpoint cannot take a request of this size. */
  excess(request: Request, provider: Provider, endpoint: Endpoint): GatewayError | undefined
  /** The requests to the vendor. */
  parts(request: Request, provider: Provider, endpoint: Endpoint): readonly Request[]
  ask(provider: Provider, call: RetrievalCall<Request>): Promise<Reply>
  /** Throws a `ProviderFailure` for a reply that does not fit the request. */
  checked(reply: unknown, request: Request, provider: string): Reply
  joined(replies: readonly Reply[]): Reply
  /** A reply in a form that takes less memory, and its bytes. Undefined if it can stay as it is. `parts`: all requests. */
  packed?(reply: Reply, parts: readonly Request[]): Promise<{ readonly reply: Reply; readonly bytes: number }> | undefined
  /** What the record keeps if the policy's `logging` is on. */
  recorded(request: Request, reply: Reply): { readonly request: JsonObject; readonly response: JsonObject }
}
