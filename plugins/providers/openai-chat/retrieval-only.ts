import { ProviderFailure } from '../../../core/index.ts'
import type { ApiKeys, ProviderAdapter } from '../../../core/kit.ts'
import { openaiEmbeddings, type EmbeddingForm } from './embeddings.ts'
import { failureFrom } from './failure.ts'
import { commonReranking, type RerankForm } from './rerank.ts'

export interface RetrievalVendor {
  /** For the error of a request that wants text. */
  readonly name: string
  readonly embeddings: EmbeddingForm
  readonly reranking: RerankForm
}

/** A vendor that makes embeddings and reranks, and generates nothing. */
export function retrievalAdapter({ name, embeddings, reranking }: RetrievalVendor, baseUrl: string, keys: ApiKeys): ProviderAdapter {
  const root = baseUrl.replace(/\/+$/, '')
  const generatesNot = (): never => {
    throw new ProviderFailure({ kind: 'invalid-request', message: `${name} makes embeddings and reranks. It does not generate text.` })
  }
  return {
    framing: 'sse',
    prepare: generatesNot,
    decoder: generatesNot,
    reply: generatesNot,
    authorize: keys.authorizeBy('authorization'),
    failure: failureFrom,
    embeddings: openaiEmbeddings(() => `${root}/embeddings`, embeddings),
    reranking: commonReranking(() => `${root}/rerank`, reranking),
  }
}
