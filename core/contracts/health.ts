import type { GatewayError } from '../foundation/errors.ts'
import { token } from '../foundation/token.ts'

/** Says if load balancers should send requests here. Core provides it. */
export interface Health {
  /**
   * The 503 for health checks once the gateway is about to stop; it is no failure. Undefined while all is well. Throws a 503 while API keys
   * cannot be looked up.
   */
  check(): Promise<GatewayError | undefined>
}
export const Health = token<Health>('health')
