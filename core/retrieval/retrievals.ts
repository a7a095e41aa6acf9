import { UnreportedUsage } from '../billing/unreported-usage.ts'
import { searchUnits } from '../billing/cost.ts'
import { Calls } from '../call/calls.ts'
import { LiveAnswers } from '../call/live-answers.ts'
import { Catalog, type Tokenizer } from '../contracts/catalog.ts'
import type { Embedded, EmbeddingRequest } from '../contracts/embedding.ts'
import type { Reranked, RerankRequest } from '../contracts/rerank.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { RetrievalKind, RetrievalRequest } from '../contracts/retrieval.ts'
import { GatewayError } from '../foundation/errors.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Reservations } from '../limits/reservations.ts'
import { Planner } from '../routing/plan.ts'
import { RetrievalAttempts } from './attempts.ts'
import { embeddings } from './embeddings.ts'
import type { KindOfRetrieval, RetrievalReply } from './kind.ts'
import { rerankings } from './rerankings.ts'
import { Retrieval, type Retrieved } from './retrieval.ts'
import { InputLimit } from './token-limit.ts'
import { TokenTexts } from './token-texts.ts'

const dependencies = {
  calls: Calls,
  catalog: Catalog,
  limit: InputLimit,
  live: LiveAnswers,
  planner: Planner,
  reservations: Reservations,
  attempts: RetrievalAttempts,
  tokens: TokenTexts,
  unreported: UnreportedUsage,
}

/** The services that every call uses. */
export interface RetrievalServices extends Omit<Dependencies<typeof dependencies>, 'catalog'> {
  /** The tokenizers of a model's endpoints. */
  names(model: string, kind: RetrievalKind): readonly (Tokenizer | undefined)[]
}

/** Answers embeddings and rerankings: docs/protocol/embeddings.md. */
export class Retrievals {
  readonly #services: RetrievalServices

  static {
    wire(this, dependencies)
  }

  constructor({ catalog, ...services }: Dependencies<typeof dependencies>) {
    this.#services = {
      ...services,
      names(name, kind) {
        const slash = name.indexOf('/')
        const endpoints = catalog.resolve(name)?.endpoints ?? [catalog.endpoint(name.slice(0, slash), name.slice(slash + 1))]
        return endpoints.flatMap(endpoint => (endpoint?.kind === kind ? [endpoint.tokenizer] : []))
      },
    }
  }

  async embed(scope: RequestScope, request: EmbeddingRequest, bodyBytes?: number): Promise<Embedded> {
    const call = this.#call(embeddings, scope, request, bodyBytes)
    const { reply, usage, ...answer } = await this.#run(scope, call)
    return {
      ...told(answer),
      vectors: reply.vectors,
      inputTokens: usage.uncachedInput,
      keepUntil: (done, abandon) => call.keepUntil(done, abandon),
    }
  }

  async rerank(scope: RequestScope, request: RerankRequest, bodyBytes?: number): Promise<Reranked> {
    const { reply, usage, ...answer } = await this.#run(scope, this.#call(rerankings, scope, request, bodyBytes))
    return { ...told(answer), results: reply.results, inputTokens: usage.uncachedInput, searchUnits: usage.toolCalls?.[searchUnits] }
  }

  #call<Request extends RetrievalRequest, Reply extends RetrievalReply>(
    kind: KindOfRetrieval<Request, Reply>,
    scope: RequestScope,
    request: Request,
    bodyBytes: number | undefined,
  ): Retrieval<Request, Reply> {
    return new Retrieval(kind, this.#services, scope, freezeDeeply(request), bodyBytes)
  }

  async #run<Request extends RetrievalRequest, Reply extends RetrievalReply>(
    scope: RequestScope,
    call: Retrieval<Request, Reply>,
  ): Promise<Retrieved<Reply>> {
    const result = await this.#services.calls.run(scope, call)
    if (result instanceof GatewayError) throw result
    return result
  }
}

function told({
  candidate,
  costUsd,
  attempts,
}: Omit<Retrieved<unknown>, 'reply' | 'usage'>): Pick<Embedded, 'model' | 'provider' | 'costUsd' | 'attempts'> {
  const { provider, model } = candidate.endpoint
  return { model: `${provider}/${model}`, provider, costUsd, attempts }
}
