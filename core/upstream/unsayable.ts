import { ProviderFailure } from '../contracts/provider.ts'

/** For something in the request that has no place in the vendor's dialect. */
export function unsayable(message: string): ProviderFailure {
  return new ProviderFailure({ kind: 'invalid-request', message })
}
