import type { Departures } from '../host/departures.ts'
import type { HostPlace } from '../host/host-place.ts'
import type { EmbeddingForm } from './embeddings.ts'
import type { RerankForm } from './rerank.ts'

/** A host that makes embeddings or reranks, in the forms of OpenAI, Jina and Cohere, and generates nothing. */
export interface RetrievalHost extends HostPlace, Pick<Departures, 'keyHeader' | 'keyScheme' | 'headers' | 'capabilities' | 'errors'> {
  /** The vendor's name, for the error of a request that wants text. */
  readonly vendor: string
  /** How the host makes embeddings. Default: it makes none. */
  readonly embeddings?: EmbeddingForm
  /** How the host reranks. Default: it does not. */
  readonly reranking?: RerankForm
}
