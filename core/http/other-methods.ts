import type { Route } from '../contracts/route.ts'
import { GatewayError } from '../foundation/errors.ts'

/** Answers 405 for the methods that a path's routes do not support, in the format of their surface. */
export function otherMethods(path: string, routes: readonly Route[]): Route {
  const methods = new Set<string>(routes.map(({ method }) => method))
  if (methods.has('GET')) methods.add('HEAD')
  const allow = [...methods].join(', ')
  const { error } = routes.find(route => route.error) ?? {}
  return {
    method: 'GET',
    path,
    auth: 'none',
    ...(error && { error }),
    handle({ request }) {
      throw new GatewayError({
        status: 405,
        type: 'invalid_request_error',
        code: 'method_not_allowed',
        message: `The method ${request.method} is not allowed here. Use ${allow}.`,
        headers: { allow },
      })
    },
  }
}
