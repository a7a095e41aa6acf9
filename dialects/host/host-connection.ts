import type { ProviderCall } from '../../core/index.ts'
import type { ApiKeys, ProviderAdapter } from '../../core/kit.ts'
import type { Departures } from './departures.ts'

/** How a gateway reaches a host. */
export interface HostConnection {
  /** The address before the path. It may have a query, which every request keeps. Default: that of the host's table. */
  readonly baseUrl?: string | undefined
  /** Without them, requests have no credential. */
  readonly keys?: ApiKeys | undefined
}

/** The address of a path behind a base. */
export function urlAt(baseUrl: string, path: string): string {
  const [root = '', query] = baseUrl.split('?')
  return `${root.replace(/\/+$/, '')}${path}${query === undefined ? '' : `?${query}`}`
}

/** The address of each call. A path may name the model. */
export function addressing(baseUrl: string, path: string): (call: Pick<ProviderCall, 'endpoint'>) => string {
  if (!path.includes('{model}')) {
    const url = urlAt(baseUrl, path)
    return () => url
  }
  return ({ endpoint }) => urlAt(baseUrl, path.replaceAll('{model}', encodeURIComponent(endpoint.upstreamModel)))
}

/** An adapter's `authorize`, if there are keys. */
export function authorizing(
  keys: ApiKeys | undefined,
  { keyHeader, keyScheme }: Departures,
  usualHeader = 'authorization',
): Pick<ProviderAdapter, 'authorize'> {
  return keys ? { authorize: keys.authorizeBy(keyHeader ?? usualHeader, keyScheme) } : {}
}
