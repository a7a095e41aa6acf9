import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { DataKey, DataKeys } from './data-keys.ts'

/** Where a sealed part belongs. It cannot be opened anywhere else. */
export interface Place {
  readonly owner: string
  readonly id: string
  readonly part: 'conversation' | 'body' | 'content'
}

// version (1) · data key id (16) · nonce (12) · AES-256-GCM ciphertext · tag (16)
const version = 1
const keyIdEnd = 17
const nonceEnd = 29
const tagBytes = 16

/** Encrypts the stored parts of a response, as JSON, with the data key of the organization. */
export class SealedParts {
  readonly #keys: DataKeys

  constructor(keys: DataKeys) {
    this.#keys = keys
  }

  async seal(org: string, place: Place, value: object): Promise<Uint8Array> {
    const key = await this.#keys.current(org)
    const header = Buffer.concat([Buffer.of(version), Buffer.from(key.id, 'hex'), randomBytes(nonceEnd - keyIdEnd)])
    const cipher = createCipheriv('aes-256-gcm', key.bytes, header.subarray(keyIdEnd))
    cipher.setAAD(associated(header, place))
    const sealed = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]
    return Buffer.concat([header, ...sealed, cipher.getAuthTag()])
  }

  /** `bytes` is the value of the column, of any type. Undefined if it was changed, belongs elsewhere, or its key is lost. */
  async open(org: string, place: Place, bytes: unknown): Promise<unknown> {
    if (!(bytes instanceof Uint8Array)) return undefined
    const envelope = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (envelope.length < nonceEnd + tagBytes || envelope[0] !== version) return undefined
    const key = await this.#keys.find(org, envelope.toString('hex', 1, keyIdEnd))
    return key && decrypted(key, envelope, place)
  }
}

function decrypted(key: DataKey, envelope: Buffer, place: Place): unknown {
  const header = envelope.subarray(0, nonceEnd)
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, header.subarray(keyIdEnd), { authTagLength: tagBytes })
  decipher.setAAD(associated(header, place))
  decipher.setAuthTag(envelope.subarray(-tagBytes))
  const opened = decipher.update(envelope.subarray(nonceEnd, -tagBytes))
  try {
    decipher.final()
    return JSON.parse(opened.toString())
  } catch {
    return undefined
  }
}

/** Different places give different bytes, for any characters in an id. */
function associated(header: Buffer, { owner, id, part }: Place): Buffer {
  return Buffer.concat([header, Buffer.from(JSON.stringify([owner, id, part]))])
}
