import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { recentValues, type SealContext, type Sealer } from '../../../core/stores.ts'

// version (1) · key id (4) · nonce (12) · AES-256-GCM ciphertext · tag (16)
const version = 1
const keyIdEnd = 5
const nonceEnd = 17
const tagBytes = 16
const maxDerivedKeys = 10_000
const reloadEveryMs = 1_000

/** The keys of a sealer, and their source. */
export interface MasterKeys {
  /** For messages. Never the key. */
  readonly source: string
  /** See `Sealer.isShared`. */
  readonly isShared?: boolean
  /** Absent if there is no key yet. */
  readonly current?: Uint8Array | undefined
  /** Creates the current key on first use. */
  readonly make?: () => Uint8Array
  /** Reads the keys again after an envelope with an unknown key: another process may have rotated the keys. */
  readonly reload?: () => Pick<MasterKeys, 'current' | 'previous'> | undefined
  /** Keys that open envelopes but seal nothing new. */
  readonly previous?: readonly Uint8Array[]
  /** The key for `mac`, if it is not the current one. */
  readonly mac?: Uint8Array | undefined
}

/** Seals with keys derived from a master key, one for each organization and purpose. */
export class EnvelopeSealer implements Sealer {
  readonly keySource: string
  readonly isShared: boolean
  readonly #byId = new Map<string, MasterKey>()
  readonly #make: (() => Uint8Array) | undefined
  readonly #reload: MasterKeys['reload']
  #reloadedAt = -Infinity
  #current: MasterKey | undefined
  #macs: MasterKey | undefined

  constructor({ source, isShared = false, current, make, reload, previous = [], mac }: MasterKeys) {
    this.keySource = source
    this.isShared = isShared
    this.#make = make
    this.#reload = reload
    for (const bytes of previous) this.#add(bytes)
    if (current) this.#current = this.#add(current)
    if (mac) this.#macs = new MasterKey(mac)
  }

  get hasKey(): boolean {
    return this.#current !== undefined
  }

  /** Creates the master key if there is none. */
  ensureKey(): void {
    this.#key()
  }

  seal(context: SealContext, bytes: Uint8Array): Uint8Array {
    const key = this.#key()
    const header = Buffer.concat([Buffer.of(version), key.id, randomBytes(nonceEnd - keyIdEnd)])
    const cipher = createCipheriv('aes-256-gcm', key.dataKey(context), header.subarray(keyIdEnd))
    cipher.setAAD(associated(header, context))
    const sealed = [cipher.update(bytes), cipher.final()]
    return Buffer.concat([header, ...sealed, cipher.getAuthTag()])
  }

  open(context: SealContext, bytes: Uint8Array): Uint8Array | undefined {
    const envelope = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (envelope.length < nonceEnd + tagBytes || envelope[0] !== version) return undefined
    const key = this.#find(envelope.toString('hex', 1, keyIdEnd))
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
    return bytes[0] === version && this.#current?.id.equals(bytes.subarray(1, keyIdEnd)) === true
  }

  mac(purpose: string, text: string): Buffer {
    const key = this.#macs ?? this.#key()
    return createHmac('sha256', key.derive('mac', purpose)).update(text).digest()
  }

  #find(id: string): MasterKey | undefined {
    const known = this.#byId.get(id)
    const now = performance.now()
    // Callers can make up ids.
    if (known || !this.#reload || now - this.#reloadedAt < reloadEveryMs) return known
    this.#reloadedAt = now
    const { current, previous = [] } = this.#reload() ?? {}
    if (!current || this.#byId.has(new MasterKey(current).id.toString('hex'))) return undefined
    // The hashes of API keys depend on this key, so it must stay.
    this.#macs ??= this.#current
    for (const bytes of previous) this.#add(bytes)
    this.#current = this.#add(current)
    return this.#byId.get(id)
  }

  #key(): MasterKey {
    return (this.#current ??= this.#add(this.#make!()))
  }

  #add(bytes: Uint8Array): MasterKey {
    const key = new MasterKey(bytes)
    this.#byId.set(key.id.toString('hex'), key)
    return key
  }
}

class MasterKey {
  /** Identifies the key in an envelope, and reveals nothing about it. */
  readonly id: Buffer
  readonly #bytes: Uint8Array
  readonly #derived = recentValues<string, Buffer>(maxDerivedKeys)

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
    // HKDF takes at most 1,024 bytes of info, but names have any length.
    const derived = Buffer.from(hkdfSync('sha256', this.#bytes, '', createHash('sha256').update(info).digest(), 32))
    this.#derived.set(info, derived)
    return derived
  }
}

/** Everything that an envelope is bound to. Different contexts give different bytes. */
function associated(header: Buffer, { org, purpose, provider, account, model }: SealContext): Buffer {
  const context = JSON.stringify([org, purpose, provider ?? null, account ?? null, model ?? null])
  return Buffer.concat([header, Buffer.from(context)])
}
