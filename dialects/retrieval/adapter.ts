import { ProviderFailure } from '../../core/index.ts'
import type { ProviderAdapter } from '../../core/kit.ts'
import { chatAnatomy } from '../chat/anatomy.ts'
import { failureFrom } from '../chat/failure.ts'
import { checkTable } from '../host/check-table.ts'
import { departing } from '../host/departing.ts'
import { authorizing, urlAt, type HostConnection } from '../host/host-connection.ts'
import { openaiEmbeddings } from './embeddings.ts'
import { commonReranking } from './rerank.ts'
import type { RetrievalHost } from './retrieval-host.ts'
import { retrievalShape } from './retrieval-shape.ts'

/** Embeddings and reranking as one host makes them. Throws a `TypeError` that names each mistake in the table. */
export function retrievalAdapter(host: RetrievalHost, { baseUrl = host.baseUrl ?? '', keys }: HostConnection = {}): ProviderAdapter {
  checkTable('retrievalAdapter', host, retrievalShape)
  const { vendor, embeddings, reranking } = host
  const generatesNot = (): never => {
    throw new ProviderFailure({ kind: 'invalid-request', message: `${vendor} makes embeddings and reranks. It does not generate text.` })
  }
  const adapter: ProviderAdapter = {
    ...(host.capabilities && { capabilities: host.capabilities }),
    framing: 'sse',
    prepare: generatesNot,
    decoder: generatesNot,
    reply: generatesNot,
    ...authorizing(keys, host),
    failure: failureFrom,
    ...(embeddings && { embeddings: openaiEmbeddings(() => urlAt(baseUrl, embeddings.path ?? '/embeddings'), embeddings) }),
    ...(reranking && { reranking: commonReranking(() => urlAt(baseUrl, reranking.path ?? '/rerank'), reranking) }),
  }
  return departing(adapter, host, chatAnatomy)
}
