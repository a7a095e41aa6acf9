import { retrievalProvider } from '../../../dialects/index.ts'

/** Jina AI: embeddings and reranking. */
export default retrievalProvider({
  name: 'jina',
  id: 'jina',
  vendor: 'Jina AI',
  baseUrl: 'https://api.jina.ai/v1',
  keyVariable: 'JINA_API_KEY',
  // https://api.jina.ai/redoc
  embeddings: {
    maxInputs: 2_048,
    typeMember: 'task',
    inputTypes: { query: 'retrieval.query', document: 'retrieval.passage' },
    formatMember: 'embedding_type',
  },
  reranking: { maxDocuments: 2_048 },
})
