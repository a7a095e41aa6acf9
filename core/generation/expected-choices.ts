import type { FinishReason } from '../contracts/events.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { own, wording } from '../foundation/wording.ts'

/** Counts the choices of one reply. */
export class ExpectedChoices {
  readonly #expected: number
  readonly #by: string
  #begun = 1

  /** `by`: who replies, as in a message. */
  constructor(expected: number, by: string) {
    this.#expected = expected
    this.#by = by
  }

  /** Call when a choice ends and another begins. False if the request asks for no more. */
  mayGoOn(): boolean {
    return ++this.#begun <= this.#expected
  }

  /** Call when the last choice ends. Throws if there should be more. A filter may stop all of them with a single word. */
  end(reason: FinishReason): void {
    if (this.#begun === this.#expected || reason === 'content-filter') return
    const message = wording`${this.#by} was asked for ${own(this.#expected)} choices, and gave ${own(this.#begun)}.`
    throw new ProviderFailure({ kind: 'protocol', message })
  }
}
