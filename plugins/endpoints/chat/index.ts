import { definePlugin, Routes, type Route } from '../../../core/index.ts'
import { allowedBy, allowedOption, describeFailureStatus, type RouteTrial } from '../../../core/kit.ts'
import { describeCreate } from './description.ts'
import { errorReply } from './errors.ts'
import { insteadOf } from './instead-of.ts'
import type { Passing } from './passing.ts'

/** `POST /v1/chat/completions`: docs/protocol/chat.md. */
export default definePlugin({
  name: 'chat',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      upstreamFailureStatus: {
        type: 'integer',
        minimum: 400,
        maximum: 599,
        default: 503,
        description: 'The HTTP status of a request that every endpoint failed.',
      },
      vendorTools: {
        ...allowedOption,
        description:
          'The tools that the vendor runs, such as `openrouter:web_search`: `true` passes all to upstreams of this API, `false` none, and a list those types. An entry may end in `*`.',
      },
    },
  },
  setup(gateway, { upstreamFailureStatus, vendorTools }) {
    const passing: Passing = { vendorTools: allowedBy(vendorTools) }
    let surface: Surface | undefined
    const load = async (): Promise<Surface> => (surface = await import('./surface.ts'))
    gateway.add<Route>(Routes, {
      method: 'POST',
      path: '/v1/chat/completions',
      auth: 'key',
      handle: (exchange, services) =>
        surface
          ? surface.createCompletion(exchange, services, upstreamFailureStatus, passing)
          : load().then(({ createCompletion }) => createCompletion(exchange, services, upstreamFailureStatus, passing)),
      error: error => errorReply(error, upstreamFailureStatus),
      describe: () => describeFailureStatus(describeCreate(), upstreamFailureStatus),
      insteadOf,
      trial,
    })
  },
})

const trial: RouteTrial = {
  name: 'chat',
  title: 'Chat Completions',
  kind: 'generation',
  example: { messages: [{ role: 'user', content: 'Why is the sky blue?' }], stream: true, stream_options: { include_usage: true } },
  texts: ['choices.*.delta.content', 'choices.*.message.content'],
  thoughts: ['choices.*.delta.reasoning_content', 'choices.*.message.reasoning_content'],
}

type Surface = typeof import('./surface.ts')
