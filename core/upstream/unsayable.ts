import type { Item, Part } from '../contracts/items.ts'
import { ProviderFailure } from '../contracts/provider.ts'

/** The failure for something in the request that the vendor's dialect cannot express. `subject` is the item or part that cannot be sent. */
export function unsayable(message: string, subject?: Item | Part): ProviderFailure {
  return new ProviderFailure({ kind: 'invalid-request', message, subject })
}
