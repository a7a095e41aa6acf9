import { definePlugin, Routes, type Route } from '../../../core/index.ts'
import { allowedBy, allowedOption, describeFailureStatus, type RouteTrial } from '../../../core/kit.ts'
import { describeMethods } from './description.ts'
import { errorReply } from './errors.ts'
import { insteadOf } from './instead-of.ts'
import type { Passing } from './passing.ts'

/** `POST /v1beta/models/{model}:{method}`, and the same below `/v1`: docs/protocol/gemini.md. */
export default definePlugin({
  name: 'gemini-api',
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
          'The tools that the vendor runs, such as `codeExecution`: `true` passes all to upstreams of this API, `false` none, and a list those names. An entry may end in `*`.',
      },
    },
  },
  setup(gateway, { upstreamFailureStatus, vendorTools }) {
    const passing: Passing = { vendorTools: allowedBy(vendorTools), failed: upstreamFailureStatus }
    let surface: Surface | undefined
    const load = async (): Promise<Surface> => (surface = await import('./surface.ts'))
    const route = {
      method: 'POST',
      auth: 'key',
      keyParameter: 'key',
      surface: 'gemini',
      error: error => errorReply(error, upstreamFailureStatus),
      handle: (exchange, services) =>
        surface
          ? surface.callMethod(exchange, services, passing)
          : load().then(({ callMethod }) => callMethod(exchange, services, passing)),
      describe: () => describeFailureStatus(describeMethods(), upstreamFailureStatus),
    } as const satisfies Partial<Route>
    gateway.add<Route>(Routes, { ...route, path: '/v1beta/models/**:id', below: '/v1beta', insteadOf, trial })
    gateway.add<Route>(Routes, { ...route, path: '/v1/models/**:id' })
    // Clients leave `models/` out before a name with a slash.
    gateway.add<Route>(Routes, { ...route, path: '/v1beta/:provider/**:id' })
  },
})

const trial: RouteTrial = {
  name: 'gemini',
  title: 'Gemini',
  kind: 'generation',
  path: '/v1beta/models/{model}:streamGenerateContent?alt=sse',
  example: { contents: [{ role: 'user', parts: [{ text: 'Why is the sky blue?' }] }] },
  texts: ['candidates.*.content.parts.*.text'],
}

type Surface = typeof import('./surface.ts')
