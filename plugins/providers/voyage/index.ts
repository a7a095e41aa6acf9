import { retrievalProvider } from '../../../dialects/index.ts'

/** Voyage AI: embeddings and reranking. */
export default retrievalProvider({
  name: 'voyage',
  id: 'voyage',
  vendor: 'Voyage AI',
  baseUrl: 'https://api.voyageai.com/v1',
  keyVariable: 'VOYAGE_API_KEY',
  // https://docs.voyageai.com/reference/embeddings-api
  embeddings: {
    maxInputs: 1_000,
    maxTokens: 120_000,
    dimensions: 'output_dimension',
    inputTypes: { query: 'query', document: 'document' },
  },
  // https://docs.voyageai.com/reference/reranker-api
  reranking: { top: 'top_k', maxDocuments: 1_000 },
})
