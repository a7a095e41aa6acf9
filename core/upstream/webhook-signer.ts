import { createHmac } from 'node:crypto'

const prefix = 'whsec_'

/** Signs messages as https://www.standardwebhooks.com describes. Its libraries verify them. */
export class WebhookSigner {
  readonly #key: Buffer

  /** `whsec_` and base64, or any other text, whose bytes are the key. */
  constructor(secret: string) {
    this.#key = secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret)
  }

  /** The size of the key. */
  get bytes(): number {
    return this.#key.length
  }

  /** Returns the header `webhook-signature`. `seconds` since the epoch, as in `webhook-timestamp`. */
  sign(id: string, seconds: number, body: string): string {
    return `v1,${createHmac('sha256', this.#key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  }
}
