import type { Item, Part } from '../contracts/items.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { own, wording } from '../foundation/wording.ts'

/** For a request that the vendor's dialect cannot express. `subject` is the item or part that does not fit. */
export function unsayable(message: string, subject?: Item | Part): ProviderFailure {
  return new ProviderFailure({ kind: 'invalid-request', message, subject })
}

/**
 * For a reply without a `finish` event: a truncated stream is never a success. It is transient, unless `upstream` shows that the vendor
 * sent a page or an object instead of a stream.
 */
export function cutShort(provider: string, upstream?: string): ProviderFailure {
  const message = wording`The provider "${own(provider)}" ended its reply before it was complete.`
  const transient = upstream === undefined || !/^\s*[<{[]/.test(upstream)
  return new ProviderFailure({ kind: 'protocol', message, transient, ...(upstream !== undefined && { upstream }) })
}
