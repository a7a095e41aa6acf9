import { definePlugin } from '../../../core/index.ts'
import { Compactor } from '../../../core/kit.ts'
import { question } from './question.ts'

/** Compacts conversations for models whose vendors cannot, by asking a model for a summary: docs/protocol/compaction.md. */
export default definePlugin({
  name: 'summary',
  contracts: { Compactor: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      compaction: {
        type: 'string',
        enum: ['native', 'portable'],
        default: 'native',
        description:
          '"native" leaves it to the vendor if every endpoint of a request can compact by itself. "portable" always asks for a summary: any model can go on from it, where a vendor’s own compaction is of use to one model and account alone.',
      },
      model: {
        type: 'string',
        minLength: 1,
        description:
          'The model that summarizes, such as a cheaper one. Requests whose key or policy does not allow it, and by default all, use the model that they name.',
      },
      maxSummaryTokens: {
        type: 'integer',
        minimum: 256,
        default: 16_000,
        description: 'The longest summary, in tokens, with hidden reasoning. At most a quarter of the context window.',
      },
      maxKeptTokens: {
        type: 'integer',
        minimum: 0,
        default: 20_000,
        description:
          'The newest messages of the user stay word for word, up to about this many tokens, and at most a quarter of the threshold or of the context window.',
      },
      maxParts: {
        type: 'integer',
        minimum: 1,
        maximum: 64,
        default: 8,
        description:
          'A conversation that is longer than the context window is summarized part by part. One that takes more parts than this is a 400.',
      },
    },
  },
  provides: [Compactor],
  setup(gateway, { compaction, model, ...limits }) {
    gateway.provide(Compactor, { isPortable: compaction === 'portable', model, ...limits, question })
  },
})
