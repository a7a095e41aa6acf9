import { CatalogSources, DecisionClients, definePlugin, Providers } from '../../../core/index.ts'
import { sendingOptions } from '../../../core/kit.ts'
import { sandboxDecisionModels, sandboxDecisions } from './dm.ts'
import { sandboxModels } from './models.ts'
import { sandboxProvider } from './provider.ts'
import { sandboxEmbeddings, sandboxReranking, sandboxRetrievalModels } from './retrieval.ts'

export default definePlugin({
  name: 'sandbox',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'sandbox', description: 'The slug in `provider/model`.' },
      ...sendingOptions,
    },
  },
  instance: options => options.id,
  setup(gateway, options) {
    gateway.add(Providers, { ...sandboxProvider(options.id, options), embeddings: sandboxEmbeddings, reranking: sandboxReranking })
    gateway.add(DecisionClients, sandboxDecisions(options.id))
    gateway.add(CatalogSources, sandboxModels(options.id))
    gateway.add(CatalogSources, sandboxDecisionModels(options.id))
    gateway.add(CatalogSources, sandboxRetrievalModels(options.id))
  },
})
