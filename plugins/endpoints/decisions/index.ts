import { definePlugin, Routes, type Route } from '../../../core/index.ts'
import { describeFailureStatus, withFailureStatus } from '../../../core/kit.ts'
import { Alias } from './alias.ts'
import { describeDecide } from './description.ts'
import { publicError, systemOneError } from './error-reply.ts'
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
        type: 'integer',
        minimum: 400,
        maximum: 599,
        default: 424,
        description: 'The status of the error when every vendor failed. Some SDKs retry only 408, 409, 429 and 5xx.',
      },
    },
  },
  setup(gateway, { aliasUntil, upstreamFailureStatus }) {
    const route = { method: 'POST', auth: 'key', idPrefix: 'dec' } as const
    const alias = new Alias(aliasUntil)
    let surface: Surface | undefined
    const load = async (): Promise<Surface> => (surface = await import('./surface.ts'))
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/systemone',
      handle: (exchange, services) =>
        surface ? surface.decide(exchange, services) : load().then(({ decide }) => decide(exchange, services)),
      trial: {
        name: 'systemone',
        title: 'System One',
        kind: 'decision',
        example: { state, questions: { angry: { type: 'noul', instructions } } },
      },
      error: error => systemOneError(withFailureStatus(error, upstreamFailureStatus)),
      describe: () => describeFailureStatus(describeDecide(), upstreamFailureStatus),
    })
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/decisions',
      handle: (exchange, services) =>
        surface
          ? surface.decideEither(exchange, services, alias)
          : load().then(({ decideEither }) => decideEither(exchange, services, alias)),
      error(thrown) {
        const error = withFailureStatus(thrown, upstreamFailureStatus)
        if (!alias.isOf(thrown)) return publicError(error)
        const reply = systemOneError(error)
        return { ...reply, headers: { ...reply.headers, ...alias.headers } }
      },
      trial: {
        name: 'decisions',
        title: 'Decisions',
        kind: 'decision',
        example: { input: state, questions: [{ type: 'predicate', name: 'angry', instructions }] },
      },
      describe: () => describeFailureStatus(describePublic(aliasUntil), upstreamFailureStatus),
    })
  },
})

// The example that the playground of the admin API offers.
const state = 'Where is my money? I have written three times.'
const instructions = 'Is the writer angry?'

type Surface = typeof import('./surface.ts')
