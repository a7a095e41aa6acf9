import type { Commitment } from '../contracts/route.ts'
import type { GatewayError } from '../foundation/errors.ts'

/** The point of a run after which a failure can no longer be an HTTP status. Reached once. */
export class Commit {
  #value: Commitment | GatewayError | undefined
  /** Made when someone asks for it: most answers come whole. */
  #reached: PromiseWithResolvers<Commitment | GatewayError> | undefined
  #timer: NodeJS.Timeout | undefined

  get promise(): Promise<Commitment | GatewayError> {
    if (!this.#reached) {
      this.#reached = Promise.withResolvers()
      if (this.#value) this.#reached.resolve(this.#value)
    }
    return this.#reached.promise
  }

  /** Only the first call counts. */
  reach(value: Commitment | GatewayError): void {
    this.#value ??= value
    this.#reached?.resolve(value)
  }

  /** Unless `stop` is called first. */
  reachAfter(afterMs: number, make: () => Commitment): void {
    this.#timer = setTimeout(() => this.reach(make()), afterMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
