import type { FakeReply, ReceivedRequest } from '../../../core/testing/index.ts'
import { cohereReply, json } from '../../../test/kit/embedding-vendors.ts'

/** Cohere's embeddings and reranking: the longer a document, the more relevant. */
export function cohereVendor(request: ReceivedRequest): FakeReply {
  if (request.url.endsWith('/embed')) return cohereReply(request)
  const { documents, top_n: count = documents.length } = request.body as { readonly documents: readonly string[]; readonly top_n?: number }
  const results = documents
    .map((text, index) => ({ index, relevance_score: text.length / 100 }))
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
  return json({ id: 'demo', results: results.slice(0, count), meta: { billed_units: { search_units: 1 } } })
}
