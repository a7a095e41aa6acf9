import { definePlugin, Routes } from '../../../core/index.ts'
import { describeFailureStatus, errorReply, withFailureStatus } from '../../../core/kit.ts'
import { describeEmbeddings } from './description.ts'

/** `POST /v1/embeddings`: docs/protocol/embeddings.md. */
export default definePlugin({
  name: 'embeddings',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      upstreamFailureStatus: {
        type: 'integer',
        minimum: 400,
        maximum: 599,
        default: 503,
        description: 'The status of the error when every provider failed. Some SDKs retry only 408, 409, 429 and 5xx.',
      },
    },
  },
  setup(gateway, { upstreamFailureStatus }) {
    gateway.add(Routes, {
      method: 'POST',
      path: '/v1/embeddings',
      auth: 'key',
      idPrefix: 'emb',
      async handle(exchange, services) {
        const { createEmbeddings } = await import('./create.ts')
        return await createEmbeddings(exchange, services)
      },
      insteadOf: {
        '/embeddings': 'Did you mean /v1/embeddings? Then end the base URL of your client with /v1.',
        '/v1/embeddings': 'Send a POST to /v1/embeddings.',
      },
      error: error => errorReply(withFailureStatus(error, upstreamFailureStatus)),
      trial: {
        name: 'embeddings',
        title: 'Embeddings',
        kind: 'embedding',
        example: { input: ['The sky is blue.', 'Grass is green.'] },
      },
      describe: () => describeFailureStatus(describeEmbeddings(), upstreamFailureStatus),
    })
  },
})
