import {
  Clock,
  definePlugin,
  Routes,
  SortStrategies,
  type JsonObject,
  type Registry,
  type Route,
  type SortStrategy,
} from '../../../core/index.ts'
import {
  Conversations,
  describeFailureStatus,
  errorReply,
  GatewayServices,
  sortSchema,
  withFailureStatus,
  type RouteDescription,
  type RouteTrial,
} from '../../../core/kit.ts'
import { BackgroundStore, RateLimiter } from '../../../core/stores.ts'
import { backgroundOption } from './background/options.ts'
import { setUpBackground } from './background/setup.ts'
import type { CreateOptions, CreateServices } from './create.ts'
import {
  describeCancel,
  describeCompact,
  describeCreate,
  describeDelete,
  describeInputItems,
  describeInputTokens,
  describeRetrieve,
  schemasWith,
} from './description/descriptions.ts'
import { insteadOf } from './instead-of.ts'
import { createOptions } from './options.ts'
import { isId } from './path-id.ts'

/**
 * `POST /v1/responses`, `POST /v1/responses/compact` and `POST /v1/responses/input_tokens`; for stored responses, `GET` and `DELETE /v1/responses/{id}`, `input_items`
 * and `cancel`. See docs/protocol/request.md and docs/protocol/stored-responses.md.
 */
export default definePlugin({
  name: 'responses',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: { ...createOptions, background: backgroundOption },
  },
  needs: { sorts: SortStrategies, limits: RateLimiter, clock: Clock, services: GatewayServices },
  wants: { store: BackgroundStore, conversations: Conversations },
  setup(gateway, options, { sorts, store, conversations, ...parts }) {
    const { upstreamFailureStatus: status } = options
    const error: Route['error'] = error => errorReply(withFailureStatus(error, status))
    const isOffered = store !== undefined && options.background.maxRunning > 0
    const background = isOffered ? setUpBackground(gateway, { ...parts, store, options: options.background }) : undefined
    for (const route of routes(options, sorts, { background, conversations }))
      gateway.add<Route>(Routes, {
        ...route,
        auth: 'key',
        error,
        describe: () => describeFailureStatus(route.describe(), status),
      })
  },
})

type Surface = typeof import('./surface.ts')

type ResponsesRoute = Omit<Route, 'auth' | 'describe'> & { readonly describe: () => RouteDescription }

function routes(options: CreateOptions, sorts: Registry<SortStrategy>, others: CreateServices): readonly ResponsesRoute[] {
  const { background, conversations } = others
  const path = '/v1/responses'
  let surface: Surface | undefined
  const load = async (): Promise<Surface> => (surface = await import('./surface.ts'))
  const served =
    (serve: (surface: Surface, ...given: Parameters<Route['handle']>) => ReturnType<Route['handle']>): Route['handle'] =>
    (...given) =>
      surface ? serve(surface, ...given) : load().then(loaded => serve(loaded, ...given))
  const create = served(({ createResponse }, exchange, services) => createResponse(exchange, services, options, others))
  const compact = served(({ compactResponse }, exchange, services) => compactResponse(exchange, services, options.unsupported))
  const count = served(({ countInputTokens }, exchange, services) =>
    countInputTokens(exchange, services, options.unsupported, conversations),
  )
  const retrieve = served(({ retrieveResponse }, ...given) => retrieveResponse(...given, background))
  const remove = served(({ deleteResponse }, ...given) => deleteResponse(...given, background))
  const list = served(({ listInputItems }, ...given) => listInputItems(...given, background))
  const cancel = served(({ cancelResponse }, ...given) => cancelResponse(...given, background))
  let schemas: Readonly<Record<string, JsonObject>> | undefined
  const by = (describe: (schemas: Readonly<Record<string, JsonObject>>) => RouteDescription) => () =>
    describe((schemas ??= schemasWith(sortSchema(sorts))))
  return [
    { method: 'POST', path, handle: create, describe: by(describeCreate), insteadOf, trial },
    { method: 'POST', path: `${path}/compact`, handle: compact, describe: by(describeCompact) },
    { method: 'POST', path: `${path}/input_tokens`, handle: count, describe: by(describeInputTokens) },
    { method: 'GET', path: `${path}/:id`, serves: isId, handle: retrieve, describe: by(describeRetrieve) },
    { method: 'DELETE', path: `${path}/:id`, serves: isId, handle: remove, describe: by(describeDelete) },
    { method: 'GET', path: `${path}/:id/input_items`, serves: isId, handle: list, describe: by(describeInputItems) },
    { method: 'POST', path: `${path}/:id/cancel`, serves: isId, handle: cancel, describe: by(describeCancel) },
  ]
}

const trial: RouteTrial = {
  name: 'responses',
  title: 'Responses',
  kind: 'generation',
  example: { input: 'Why is the sky blue?', stream: true },
  texts: ['response.output.*.content.*.text', 'output.*.content.*.text'],
}
