import type { Endpoint } from './catalog.ts'
import { token } from '../foundation/token.ts'

/** Identifies an endpoint. */
export type EndpointName = Pick<Endpoint, 'provider' | 'model' | 'listed'>

/** One endpoint that failed recently, or a provider as a whole. */
export interface CircuitView {
  /** Its id. */
  readonly provider: string
  /** `*`: all models of the provider. */
  readonly model: string
  /** `half-open`: the pause is over, and one request will show whether the endpoint answers again. */
  readonly state: 'closed' | 'open' | 'half-open'
  /** The rest of the pause; 0 unless `open`. */
  readonly openForMs: number
}

/** A circuit breaker for each endpoint, and one for each provider. Synchronous, so that planning never waits. */
export interface Circuits {
  /** True while the endpoint should come last: it failed too often, or its vendor asked for a pause. */
  isOpen(endpoint: EndpointName): boolean
  /** Lists the endpoints and providers that failed recently. All others are healthy. */
  views(): readonly CircuitView[]
}
export const Circuits = token<Circuits>('circuits')
