import { GatewayError } from '../foundation/errors.ts'
import { Wording } from '../foundation/wording.ts'
import { nearest } from '../foundation/nearest.ts'
import type { MountedRoute, Refusal } from './mount.ts'
import { requestUrl } from './request-url.ts'

/** Answers 404 for an unknown path, and suggests the closest route. */
export function unknownPath(routes: readonly MountedRoute[]): Refusal {
  const instead = new Map(routes.flatMap(route => Object.entries(route.insteadOf ?? {})))
  const plain = Map.groupBy(
    routes.filter(({ path }) => !/[:*]/.test(path)),
    ({ path }) => path,
  )
  return {
    path: '/**',
    handle({ request }) {
      const pathname = requestUrl(request).pathname.slice(0, 200)
      const more = advice(pathname.replace(/\/+$/, ''))
      throw new GatewayError({
        status: 404,
        type: 'invalid_request_error',
        code: 'not_found',
        message: new Wording(
          `Nothing is served at ${request.method} ${pathname}.${more}`,
          `Nothing is served at this method and path.${more}`,
        ),
      })
    },
  }

  function advice(path: string): string {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const told = instead.get(path.slice(0, end))
      if (told !== undefined) return ` ${told}`
    }
    // The path exists, but not what is below it, or not with this method.
    const served = [...plain].flatMap(([path, sharing]) => (sharing.every(route => route.isGone?.()) ? [] : path))
    if (served.some(each => `${path}/`.startsWith(`${each}/`))) return ''
    const [near] = nearest(path, served)
    return near === undefined ? '' : ` Did you mean ${near}?`
  }
}
