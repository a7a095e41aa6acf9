import { ProviderFailure } from '../contracts/provider.ts'

/**
 * A reply without a `finish` event is a failure, whatever came before it. A retry may help, unless the vendor sent a page or an object
 * instead of a stream.
 */
export function cutShort(provider: string, upstream?: string): ProviderFailure {
  const message = `The provider "${provider}" ended its reply before it was complete.`
  const transient = upstream === undefined || !/^\s*[<{[]/.test(upstream)
  return new ProviderFailure({ kind: 'protocol', message, transient, ...(upstream !== undefined && { upstream }) })
}
