import { KeyStore, type ApiKey, type KeySettings } from '../contracts/key-store.ts'
import { Sealer } from '../contracts/sealer.ts'
import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import { issueApiKey, rotateApiKey } from './api-key.ts'

/** Creates keys, and gives them new secrets. The text of a key is shown once; the store keeps its hash. */
export class KeyIssuer {
  readonly #store: KeyStore
  readonly #sealer: Sealer
  readonly #clock: Clock

  static {
    wire(this, [KeyStore, Sealer, Clock])
  }

  constructor(store: KeyStore, sealer: Sealer, clock: Clock) {
    this.#store = store
    this.#sealer = sealer
    this.#clock = clock
  }

  async issue(settings: KeySettings): Promise<{ readonly key: ApiKey; readonly text: string }> {
    const issued = issueApiKey(this.#sealer, this.#clock.now(), settings)
    await this.#store.add(issued.key)
    return issued
  }

  /** The new text. The old one stays valid for `graceMs`; 0 ends all earlier ones. Undefined if there is no such key. */
  async rotate(id: string, graceMs: number): Promise<string | undefined> {
    let rotated: string | undefined
    const isThere = await this.#store.update(id, key => {
      const { change, text } = rotateApiKey(this.#sealer, this.#clock.now(), key, graceMs)
      rotated = text
      return change
    })
    return isThere ? rotated : undefined
  }
}
