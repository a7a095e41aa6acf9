import type { Item, Part } from '../contracts/items.ts'
import { ProviderFailure } from '../contracts/provider.ts'

/** For something in the request that has no place in the vendor's dialect. `subject`: the item or part that is in the way. */
export function unsayable(message: string, subject?: Item | Part): ProviderFailure {
  return new ProviderFailure({ kind: 'invalid-request', message, subject })
}
