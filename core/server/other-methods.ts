import { GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import type { MountedRoute, Refusal } from './mount.ts'

/** Answers 405 for the methods that a path's routes do not support, in the format of their surface. */
export function otherMethods(path: string, routes: readonly MountedRoute[]): Refusal {
  const methods = new Set<string>(routes.map(({ method }) => method))
  if (methods.has('GET')) methods.add('HEAD')
  const allow = [...methods].join(', ')
  const near = routes.find(route => route.error) ?? routes[0]!
  const { error } = near
  return {
    path,
    near,
    ...(error && { error }),
    handle({ request }) {
      if (request.method === 'GET' && asksForWebSocket(request.headers)) throw noWebSocket(allow)
      throw new GatewayError({
        status: 405,
        type: 'invalid_request_error',
        code: 'method_not_allowed',
        message: wording`The method ${request.method} is not allowed here. Use ${own(allow)}.`,
        headers: { allow },
      })
    },
  }
}

function asksForWebSocket(headers: Headers): boolean {
  return (
    headers
      .get('upgrade')
      ?.split(',')
      .some(each => each.trim().toLowerCase() === 'websocket') ?? false
  )
}

/** A 426, since clients then go on with HTTP at once. After a 404 or 405 they try again, for seconds. */
function noWebSocket(allow: string): GatewayError {
  return new GatewayError({
    status: 426,
    type: 'invalid_request_error',
    code: 'websocket_not_supported',
    message: wording`WebSocket is not served here. Use HTTP with ${own(allow)}.`,
    headers: { allow, upgrade: 'HTTP/1.1', connection: 'Upgrade' },
  })
}
