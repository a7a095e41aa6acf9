import { ProviderFailure } from '../contracts/provider.ts'

/** A reply without a `finish`, whatever came before: a stream that was cut is never a success. */
export function cutShort(provider: string, upstream?: string): ProviderFailure {
  const message = `The provider "${provider}" ended its reply before it was complete.`
  return new ProviderFailure({ kind: 'protocol', message, ...(upstream !== undefined && { upstream }) })
}
