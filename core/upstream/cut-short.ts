import { ProviderFailure } from '../contracts/provider.ts'

/** A reply without a `finish`, whatever came before: a stream that was cut is never a success. It may well succeed next time, unless what came is a page or an object instead of a stream. */
export function cutShort(provider: string, upstream?: string): ProviderFailure {
  const message = `The provider "${provider}" ended its reply before it was complete.`
  const transient = upstream === undefined || !/^\s*[<{[]/.test(upstream)
  return new ProviderFailure({ kind: 'protocol', message, transient, ...(upstream !== undefined && { upstream }) })
}
