// Encrypts what the gateway stores, with AES-256-GCM and a key from the config.

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { definePlugin } from 'turnpike'
import { Sealer, type SealContext } from 'turnpike/stores'

export default definePlugin({
  name: 'acme-sealer',
  contracts: { Sealer: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['masterKey'],
    properties: { masterKey: { type: 'string', minLength: 32, writeOnly: true, description: 'A secret that all gateways share.' } },
  },
  provides: [Sealer],
  setup(gateway, { masterKey }) {
    gateway.provide(Sealer, new KeySealer(masterKey))
  },
})

// id of the key (4) · nonce (12) · ciphertext · tag (16)
const nonceStart = 4
const nonceEnd = 16
const tagBytes = 16

export class KeySealer implements Sealer {
  readonly keySource = 'option masterKey'
  readonly isShared = true
  readonly hasKey = true
  readonly #masterKey: string
  readonly #id: Buffer

  constructor(masterKey: string) {
    this.#masterKey = masterKey
    this.#id = this.#derive('id').subarray(0, nonceStart)
  }

  seal(context: SealContext, bytes: Uint8Array): Uint8Array {
    const nonce = randomBytes(nonceEnd - nonceStart)
    const cipher = createCipheriv('aes-256-gcm', this.#dataKey(context), nonce).setAAD(bound(context))
    return Buffer.concat([this.#id, nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }

  open(context: SealContext, bytes: Uint8Array): Uint8Array | undefined {
    const sealed = Buffer.from(bytes)
    if (sealed.length < nonceEnd + tagBytes || !this.isCurrent(sealed)) return undefined
    const nonce = sealed.subarray(nonceStart, nonceEnd)
    const decipher = createDecipheriv('aes-256-gcm', this.#dataKey(context), nonce, { authTagLength: tagBytes })
    decipher.setAAD(bound(context)).setAuthTag(sealed.subarray(-tagBytes))
    try {
      return Buffer.concat([decipher.update(sealed.subarray(nonceEnd, -tagBytes)), decipher.final()])
    } catch {
      return undefined
    }
  }

  isCurrent(bytes: Uint8Array): boolean {
    return this.#id.equals(bytes.subarray(0, nonceStart))
  }

  mac(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.#derive('mac', purpose)).update(text).digest()
  }

  /** Each organization has its own data keys. */
  #dataKey({ org, purpose }: SealContext): Buffer {
    return this.#derive('data', org, purpose)
  }

  #derive(...use: readonly string[]): Buffer {
    const info = createHmac('sha256', 'acme-sealer').update(JSON.stringify(use)).digest()
    return Buffer.from(hkdfSync('sha256', this.#masterKey, '', info, 32))
  }
}

/** Different contexts give different bytes. */
function bound({ org, purpose, provider, account, model }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([org, purpose, provider ?? null, account ?? null, model ?? null]))
}
