import { randomBytes } from 'node:crypto'
import type { ApiKey } from '../contracts/key-store.ts'

/** Lets operators send one request as a key without its secret. Each ticket works once, in this process only. */
export class Tickets {
  readonly #keys = new Map<string, ApiKey>()

  issue(key: ApiKey): string {
    const ticket = `ticket_${randomBytes(32).toString('hex')}`
    this.#keys.set(ticket, key)
    return ticket
  }

  /** The key of a ticket, which is then used up. */
  redeem(text: string): ApiKey | undefined {
    if (this.#keys.size === 0) return undefined
    const key = this.#keys.get(text)
    if (key) this.#keys.delete(text)
    return key
  }

  /** For a ticket that was not redeemed. */
  revoke(ticket: string): void {
    this.#keys.delete(ticket)
  }
}
