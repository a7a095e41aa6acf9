import type { Clock } from '../foundation/clock.ts'

/** How long a link that signs in is valid. */
export const signInLinkMs = 15 * 60_000

/** The values of sign-in links, by a digest of their code. Each works once. They end with the process. */
export class SignInLinks<T> {
  readonly #clock: Clock
  readonly #links = new Map<string, { readonly value: T; readonly validUntil: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(digest: string, value: T): void {
    this.#links.set(digest, { value, validUntil: this.#clock.now() + signInLinkMs })
  }

  /** The value of a link, if the link exists and has not been used. */
  take(digest: string): T | undefined {
    const link = this.#links.get(digest)
    this.#links.delete(digest)
    return link && this.#clock.now() < link.validUntil ? link.value : undefined
  }
}
