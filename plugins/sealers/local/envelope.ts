import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { SealContext, Sealer } from '../../../core/index.ts'

// version (1) · key id (4) · nonce (12) · AES-256-GCM ciphertext · tag (16)
const version = 1
const keyIdEnd = 5
const nonceEnd = 17
const tagBytes = 16
const maxDerivedKeys = 10_000

/** Seals under data keys that are derived from a master key, one for each organization and purpose. */
export class EnvelopeSealer implements Sealer {
  readonly #current: MasterKey
  readonly #macs: MasterKey
  readonly #byId = new Map<string, MasterKey>()

  /** Envelopes of `previous` keys open, and nothing is sealed under them. `macKey`: the key for `mac`. */
  constructor(masterKey: Uint8Array, previous: readonly Uint8Array[] = [], macKey: Uint8Array = masterKey) {
    for (const key of [...previous.map(bytes => new MasterKey(bytes)), new MasterKey(masterKey)])
      this.#byId.set(key.id.toString('hex'), key)
    this.#current = new MasterKey(masterKey)
    this.#macs = new MasterKey(macKey)
  }

  seal(context: SealContext, bytes: Uint8Array): Uint8Array {
    const header = Buffer.concat([Buffer.of(version), this.#current.id, randomBytes(nonceEnd - keyIdEnd)])
    const cipher = createCipheriv('aes-256-gcm', this.#current.dataKey(context), header.subarray(keyIdEnd))
    cipher.setAAD(associated(header, context))
    const sealed = [cipher.update(bytes), cipher.final()]
    return Buffer.concat([header, ...sealed, cipher.getAuthTag()])
  }

  open(context: SealContext, bytes: Uint8Array): Uint8Array | undefined {
    const envelope = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (envelope.length < nonceEnd + tagBytes || envelope[0] !== version) return undefined
    const key = this.#byId.get(envelope.toString('hex', 1, keyIdEnd))
    if (!key) return undefined
    const header = envelope.subarray(0, nonceEnd)
    const decipher = createDecipheriv('aes-256-gcm', key.dataKey(context), header.subarray(keyIdEnd), { authTagLength: tagBytes })
    decipher.setAAD(associated(header, context))
    decipher.setAuthTag(envelope.subarray(-tagBytes))
    const opened = decipher.update(envelope.subarray(nonceEnd, -tagBytes))
    try {
      return Buffer.concat([opened, decipher.final()])
    } catch {
      return undefined
    }
  }

  isCurrent(bytes: Uint8Array): boolean {
    return bytes[0] === version && this.#current.id.equals(bytes.subarray(1, keyIdEnd))
  }

  mac(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.#macs.derive('mac', purpose)).update(text).digest()
  }
}

class MasterKey {
  /** Tells which key sealed an envelope, and nothing about the key. */
  readonly id: Buffer
  readonly #bytes: Uint8Array
  readonly #derived = new LRUCache<string, Buffer>({ max: maxDerivedKeys })

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.id = this.derive('id').subarray(0, keyIdEnd - 1)
  }

  dataKey({ org, purpose }: SealContext): Buffer {
    return this.derive('data', org, purpose)
  }

  derive(...use: readonly string[]): Buffer {
    const info = JSON.stringify(['turnpike', ...use])
    const known = this.#derived.get(info)
    if (known) return known
    // HKDF takes 1,024 bytes of info at most, and names may be of any length.
    const derived = Buffer.from(hkdfSync('sha256', this.#bytes, '', createHash('sha256').update(info).digest(), 32))
    this.#derived.set(info, derived)
    return derived
  }
}

/** Everything that an envelope is bound to, so encoded that no two contexts give the same bytes. */
function associated(header: Buffer, { org, purpose, provider, account, model }: SealContext): Buffer {
  const context = JSON.stringify([org, purpose, provider ?? null, account ?? null, model ?? null])
  return Buffer.concat([header, Buffer.from(context)])
}
