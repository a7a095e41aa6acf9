import type { ConnectionProtocol } from '../../../../core/contracts/connection.ts'
import type { RequestScope } from '../../../../core/contracts/request-scope.ts'
import type { GatewayServices, Reply, Route } from '../../../../core/contracts/route.ts'
import { shadow } from '../shadow.ts'
import { begin, follow, type Watched, type Watching } from './watching.ts'

/** Routes that anyone may call leave no record, and are not shown. */
export function watchedRoute(route: Route, watching: Watching): Route {
  if (route.auth !== 'key') return route
  return shadow(route, {
    handle(exchange, services) {
      const watched = admitted(exchange, watching, `${route.method} ${route.path}`)
      const step = begin(watched, 'handle')
      return follow<Reply>(
        watched,
        step,
        () => route.handle(exchange, watchedServices(services, watched)),
        reply => step.fact('status', reply.status),
      )
    },
  })
}

export function watchedConnection(protocol: ConnectionProtocol, watching: Watching): ConnectionProtocol {
  const { inspector } = watching
  return shadow(protocol, {
    open(connection, services) {
      const serving = shadow(connection, {
        serve(handle, authorization) {
          const answered: typeof handle = scope => {
            const watched = admitted(scope, watching, protocol.path)
            const step = begin(watched, 'message')
            return follow(
              watched,
              step,
              () => handle(scope),
              error => {
                if (error) step.fail(error)
              },
            )
          }
          return inspector.within({ inspection: inspector.unnamed() }, () => connection.serve(answered, authorization))
        },
      })
      return protocol.open(serving, services)
    },
  })
}

/** The request of a scope that core has admitted. */
function admitted(scope: RequestScope, { inspector, plugin }: Watching, name: string): Watched {
  return { inspector, inspection: inspector.of(scope), of: { plugin, kind: 'surface', name } }
}

/** Shows what a surface makes of a body. */
function watchedServices(services: GatewayServices, watched: Watched): GatewayServices {
  const shown = (asks: string, request: unknown): void => {
    const step = begin(watched, asks)
    step.show('request, as the surface reads it', request)
    step.end()
  }
  return shadow(services, {
    generate(scope, request, sink, envelope) {
      shown('generate', request)
      return services.generate(scope, request, sink, envelope)
    },
    countInput(scope, request, envelope) {
      shown('countInput', request)
      return services.countInput(scope, request, envelope)
    },
    decide(scope, request, bodyBytes) {
      shown('decide', request)
      return services.decide(scope, request, bodyBytes)
    },
    embed(scope, request, bodyBytes) {
      shown('embed', request)
      return services.embed(scope, request, bodyBytes)
    },
    rerank(scope, request, bodyBytes) {
      shown('rerank', request)
      return services.rerank(scope, request, bodyBytes)
    },
  })
}
