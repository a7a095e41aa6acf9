import { definePlugin, Routes } from '../../../core/index.ts'
import { describeFailureStatus, errorReply, withFailureStatus, type RouteTrial } from '../../../core/kit.ts'
import { describeRanking } from './description.ts'

/** `POST /v1/rerank`, and `POST /v2/rerank` for Cohere's clients: docs/protocol/rerank.md. */
export default definePlugin({
  name: 'rerank',
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
    for (const path of ['/v1/rerank', '/v2/rerank'])
      gateway.add(Routes, {
        method: 'POST',
        path,
        auth: 'key',
        idPrefix: 'rnk',
        async handle(exchange, services) {
          const { createRanking } = await import('./create.ts')
          return await createRanking(exchange, services)
        },
        insteadOf: { '/rerank': 'Did you mean /v1/rerank? Then end the base URL of your client with /v1.' },
        error: error => errorReply(withFailureStatus(error, upstreamFailureStatus)),
        ...(path === '/v1/rerank' && { trial }),
        describe: () => describeFailureStatus(describeRanking(), upstreamFailureStatus),
      })
  },
})

const trial: RouteTrial = {
  name: 'rerank',
  title: 'Rerank',
  kind: 'rerank',
  example: { query: 'Why is the sky blue?', documents: ['Air scatters blue light most.', 'Grass is green.'], top_n: 2 },
}
