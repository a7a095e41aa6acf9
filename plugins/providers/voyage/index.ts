import { definePlugin, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, httpProvider, sendingOptions } from '../../../core/kit.ts'
import { retrievalAdapter, type RetrievalVendor } from '../openai-chat/retrieval-only.ts'

const vendorUrl = 'https://api.voyageai.com/v1'

const vendor: RetrievalVendor = {
  name: 'Voyage AI',
  // https://docs.voyageai.com/reference/embeddings-api
  embeddings: {
    maxInputs: 1_000,
    maxTokens: 120_000,
    dimensions: 'output_dimension',
    inputTypes: { query: 'query', document: 'document' },
  },
  // https://docs.voyageai.com/reference/reranker-api
  reranking: { top: 'top_k', maxDocuments: 1_000 },
}

/** Voyage AI: embeddings and reranking. */
export default definePlugin({
  name: 'voyage',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'voyage', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: { type: 'string', format: 'uri', default: vendorUrl, description: 'The address before `/embeddings`.' },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, headers, ...sending }) {
    const keys = new ApiKeys(apiKey)
    if (baseUrl === vendorUrl && !headers) keys.demand(gateway.name, 'VOYAGE_API_KEY')
    const adapter = retrievalAdapter(vendor, baseUrl, keys)
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, headers, ...sending }))
  },
})
