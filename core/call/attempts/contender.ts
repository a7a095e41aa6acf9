import type { Endpoint } from '../../contracts/catalog.ts'
import type { Provider } from '../../contracts/provider.ts'

/** An endpoint that an attempt may ask, and who serves it: a provider or a decision client. */
export interface Contender {
  readonly endpoint: Endpoint
  readonly provider: Pick<Provider, 'id' | 'credentials' | 'maxConcurrent' | 'maxQueued'>
}
