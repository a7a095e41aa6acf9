import type { Gateway } from '../core/gateway.ts'
import type { Listener } from './listen.ts'

/**
 * The time between the signal to stop and the end of the listener. Everything is still served, so that no request fails while load balancers
 * find out that they have to send new ones elsewhere: health checks fail, and every answer says that its connection closes.
 */
export class Announcement {
  readonly over: Promise<void>
  readonly #end: () => void
  #isOver = false

  constructor(gateway: Pick<Gateway, 'leave'>, { connections }: Pick<Listener, 'connections'>, forMs: number) {
    gateway.leave()
    connections.announceEnd()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.over = promise
    const timer = setTimeout(() => this.#end(), forMs)
    this.#end = () => {
      clearTimeout(timer)
      this.#isOver = true
      resolve()
    }
    if (forMs === 0) this.#end()
  }

  /** A further signal ends it early. False if it was over already. */
  hurry(): boolean {
    if (this.#isOver) return false
    this.#end()
    return true
  }
}
