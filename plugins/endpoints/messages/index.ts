import { definePlugin, Routes, type Route } from '../../../core/index.ts'
import { allowedBy, allowedOption, describeFailureStatus, rateLimitHeadersUnder, type RouteTrial } from '../../../core/kit.ts'
import { describeCount, describeCreate } from './description.ts'
import { errorReply, usual } from './errors.ts'
import { insteadOf } from './instead-of.ts'
import type { Passing } from './passing.ts'

/** `POST /v1/messages` and `POST /v1/messages/count_tokens`: docs/protocol/messages.md. */
export default definePlugin({
  name: 'messages',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      upstreamFailureStatus: {
        type: 'integer',
        minimum: 400,
        maximum: 599,
        default: 503,
        description: 'The HTTP status of a request that every endpoint failed. With the default, it is 529 if the vendor was overloaded.',
      },
      vendorTools: {
        ...allowedOption,
        description:
          'The tools that the vendor runs, such as `code_execution_20250825`, and MCP servers: `true` passes all to upstreams of this API, `false` none, and a list those types. An entry may end in `*`.',
      },
      betas: {
        ...allowedOption,
        description:
          'The values of `anthropic-beta` that callers may send to upstreams of this API: all, none, or those listed. An entry may end in `*`.',
      },
    },
  },
  setup(gateway, { upstreamFailureStatus, vendorTools, betas }) {
    const passing: Passing = { vendorTools: allowedBy(vendorTools), betas: allowedBy(betas) }
    const route = {
      method: 'POST',
      auth: 'key',
      rateLimitHeaders: rateLimitHeadersUnder('anthropic-ratelimit'),
      error: (error, requestId) => errorReply(error, requestId, upstreamFailureStatus),
    } as const satisfies Partial<Route>
    let surface: Surface | undefined
    const load = async (): Promise<Surface> => (surface = await import('./surface.ts'))
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/messages',
      handle: (exchange, services) =>
        surface
          ? surface.createMessage(exchange, services, upstreamFailureStatus, passing)
          : load().then(({ createMessage }) => createMessage(exchange, services, upstreamFailureStatus, passing)),
      describe: () => describeFailureStatus(describeCreate(upstreamFailureStatus === usual), upstreamFailureStatus),
      insteadOf,
      trial,
    })
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/messages/count_tokens',
      handle: (exchange, services) =>
        surface
          ? surface.countTokens(exchange, services, passing)
          : load().then(({ countTokens }) => countTokens(exchange, services, passing)),
      describe: describeCount,
    })
  },
})

const trial: RouteTrial = {
  name: 'messages',
  title: 'Messages',
  kind: 'generation',
  example: { max_tokens: 1_000, messages: [{ role: 'user', content: 'Why is the sky blue?' }], stream: true },
  texts: ['delta.text', 'content.*.text'],
  thoughts: ['delta.thinking', 'content.*.thinking'],
}

type Surface = typeof import('./surface.ts')
