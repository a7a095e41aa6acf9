import type { Endpoint } from './catalog.ts'
import { token } from '../foundation/token.ts'

/** What identifies an endpoint. */
export type EndpointName = Pick<Endpoint, 'provider' | 'model' | 'listed'>

/** One endpoint that failed lately. */
export interface CircuitView {
  readonly provider: string
  readonly model: string
  /** `half-open`: the pause is over, and one request will show whether the endpoint answers again. */
  readonly state: 'closed' | 'open' | 'half-open'
  /** How much of the pause is left; 0 unless `open`. */
  readonly openForMs: number
}

/** A circuit breaker per endpoint. Synchronous, so that planning never waits. */
export interface Circuits {
  /** True while the endpoint should come last: it failed too often, or its vendor asked for a pause. */
  isOpen(endpoint: EndpointName): boolean
  /** Endpoints that failed lately. All others are healthy. */
  views(): readonly CircuitView[]
}
export const Circuits = token<Circuits>('circuits')
