// The model `acme-letters/letters` makes vectors: the share of each letter in a text.

import { CatalogSources, definePlugin, ProviderFailure, Providers } from 'turnpike'
import { estimateTokens, type EmbeddingInput } from 'turnpike/kit'

const letters = [...'abcdefghijklmnopqrstuvwxyz']

export default definePlugin({
  name: 'acme-letters',
  contracts: { Providers: 1, CatalogSources: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(Providers, {
      id: 'acme-letters',
      // Every provider has it. The catalog lists no model that generates.
      async *generate() {
        throw new ProviderFailure({ kind: 'invalid-request', message: 'The model only makes embeddings.' })
      },
      embeddings: {
        limits: () => ({ inputs: 100 }),
        async embed({ request: { input } }) {
          const texts = input.map(textOf)
          return {
            vectors: texts.map(vectorOf),
            usage: { inputTokens: texts.reduce((sum, text) => sum + estimateTokens(text.length), 0) },
          }
        },
      },
    })
    gateway.add(CatalogSources, {
      name: 'acme-letters',
      entries: () => [
        {
          model: 'letters',
          endpoints: [
            {
              provider: 'acme-letters',
              kind: 'embedding',
              upstreamModel: 'letters',
              contextWindow: 8_000,
              dimensions: letters.length,
              price: { input: 0, output: 0 },
            },
          ],
        },
      ],
    })
  },
})

/** Without `takesTokens`, core passes on texts alone. */
function textOf(input: EmbeddingInput): string {
  return typeof input === 'string' ? input.toLowerCase() : ''
}

function vectorOf(text: string): readonly number[] {
  return letters.map(letter => (text.split(letter).length - 1) / Math.max(1, text.length))
}
