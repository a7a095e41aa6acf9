import { Clock, definePlugin, Routes, type Route } from '../../../core/index.ts'
import { movedAway } from './alias.ts'
import { decide } from './decide.ts'
import { describeAlias, describeDecide } from './description.ts'
import { errorReply } from './error-reply.ts'

/**
 * `POST /v1/systemone`: answers typed questions about a state with probabilities. `/v1/decisions` is an alias until a date
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
        description: 'The last day (UTC) on which `/v1/decisions` is served. After it, the path is a 404.',
      },
    },
  },
  needs: { clock: Clock },
  setup(gateway, { aliasUntil }, { clock }) {
    const route = { method: 'POST', auth: 'key', idPrefix: 'dec', error: errorReply } as const
    const alias = movedAway(aliasUntil)
    gateway.add<Route>(Routes, { ...route, path: '/v1/systemone', handle: decide, describe: describeDecide })
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/decisions',
      handle(exchange, services) {
        alias.check(services.clock.now())
        return decide(exchange, services)
      },
      isGone: () => alias.isGone(clock.now()),
      describe: () => describeAlias(aliasUntil),
    })
  },
})
