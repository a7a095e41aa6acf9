import type { Health } from '../contracts/health.ts'
import type { KeyStore } from '../contracts/key-store.ts'
import { GatewayError } from '../foundation/errors.ts'
import { wording, type Wording } from '../foundation/wording.ts'

/** Another gateway behind the same load balancer can serve at once. */
const retryAfterMs = 1_000

/** The health of this gateway, the same for every route and listener that tells it. */
export class LiveHealth implements Health {
  readonly #keys: () => KeyStore
  #isLeaving = false

  /** `keys`: only called once plugins are set up. */
  constructor(keys: () => KeyStore) {
    this.#keys = keys
  }

  /** From now on, health checks fail, so that load balancers send nothing more. Requests are still served. */
  leave(): void {
    this.#isLeaving = true
  }

  async check(): Promise<GatewayError | undefined> {
    if (this.#isLeaving) return unavailable(wording`The gateway is about to stop. Send requests to another one.`)
    if ((await this.#keys().available?.()) === false)
      throw unavailable(wording`API keys cannot be looked up, because the database does not answer. Check the database.`)
    return undefined
  }
}

function unavailable(message: Wording): GatewayError {
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, retryAfterMs, transient: true })
}
