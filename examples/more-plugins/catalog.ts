// Gives a model of another provider a name and a price of this gateway.

import { CatalogSources, definePlugin } from 'turnpike'

export default definePlugin({
  name: 'acme-catalog',
  contracts: { CatalogSources: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['provider'],
    properties: { provider: { type: 'string', minLength: 1, description: 'The id of the provider that has the model `echo`.' } },
  },
  setup(gateway, { provider }) {
    gateway.add(CatalogSources, {
      name: 'acme-catalog',
      // Wins over what the provider and the bundled catalog say.
      rank: 'operator',
      summary: () => '1 model',
      entries: () => [
        {
          model: 'house-model',
          aliases: ['house'],
          ownedBy: 'acme',
          endpoints: [{ provider, upstreamModel: 'echo', contextWindow: 32_000, price: { input: 1, output: 4 } }],
        },
      ],
    })
  },
})
