import { definePlugin, Routes, type Route } from '../../../core/index.ts'
import { Alias } from './alias.ts'
import { decide, decideEither } from './decide.ts'
import { describeDecide } from './description.ts'
import { failedUpstream, publicError, systemOneError, withStatus } from './error-reply.ts'
import { describePublic } from './public/description.ts'

/**
 * Answers typed questions with probabilities: `POST /v1/systemone`, and `POST /v1/decisions` in the format of the public Decisions API
 * (docs/protocol/decisions.md).
 */
export default definePlugin({
  name: 'decisions',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      aliasUntil: {
        type: 'string',
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        default: '2026-10-26',
        description:
          'The last day (UTC) on which `/v1/decisions` also takes the format of `/v1/systemone`. After it, such a request is a 400.',
      },
      upstreamFailureStatus: {
        enum: [failedUpstream, 502, 503],
        default: failedUpstream,
        description: 'The status when the vendor failed. Clients that do not know 424 repeat a request after 502 and 503.',
      },
    },
  },
  setup(gateway, { aliasUntil, upstreamFailureStatus }) {
    const route = { method: 'POST', auth: 'key', idPrefix: 'dec' } as const
    const alias = new Alias(aliasUntil)
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/systemone',
      handle: decide,
      error: error => withStatus(systemOneError(error), upstreamFailureStatus),
      describe: describeDecide,
    })
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/decisions',
      handle: (exchange, services) => decideEither(exchange, services, alias),
      error: error => withStatus(alias.isOf(error) ? systemOneError(error) : publicError(error), upstreamFailureStatus),
      describe: () => describePublic(aliasUntil),
    })
  },
})
