import { definePlugin, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, httpProvider, sendingOptions } from '../../../core/kit.ts'
import { retrievalAdapter, type RetrievalVendor } from '../openai-chat/retrieval-only.ts'

const vendorUrl = 'https://api.jina.ai/v1'

const vendor: RetrievalVendor = {
  name: 'Jina AI',
  // https://api.jina.ai/redoc
  embeddings: {
    maxInputs: 2_048,
    typeMember: 'task',
    inputTypes: { query: 'retrieval.query', document: 'retrieval.passage' },
    formatMember: 'embedding_type',
  },
  reranking: { maxDocuments: 2_048 },
}

/** Jina AI: embeddings and reranking. */
export default definePlugin({
  name: 'jina',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'jina', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: { type: 'string', format: 'uri', default: vendorUrl, description: 'The address before `/embeddings`.' },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, headers, ...sending }) {
    const keys = new ApiKeys(apiKey)
    if (baseUrl === vendorUrl && !headers) keys.demand(gateway.name, 'JINA_API_KEY')
    const adapter = retrievalAdapter(vendor, baseUrl, keys)
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, headers, ...sending }))
  },
})
