import { ProviderFailure } from '../../../core/index.ts'

/** For what the dialect has no words. */
export function unsayable(message: string): ProviderFailure {
  return new ProviderFailure({ kind: 'invalid-request', message })
}
