import { createCipheriv, createDecipheriv, randomBytes, type CipherGCM } from 'node:crypto'
import { jsonPieces, pieceCharacters } from '../../../core/kit.ts'
import { jsonBytes, nextTurn } from '../../../core/stores.ts'
import type { DataKey, DataKeys } from './data-keys.ts'

/** Where a sealed part belongs. It cannot be opened anywhere else. */
export interface Place {
  readonly owner: string
  readonly id: string
  readonly part:
    | 'conversation'
    | 'body'
    | 'content'
    | 'metadata'
    | 'item'
    | 'background-input'
    | 'background-body'
    | 'background-events'
    | 'alert-target'
}

// version (1) · data key id (16) · nonce (12) · AES-256-GCM ciphertext · tag (16)
const version = 1
const keyIdEnd = 17
const nonceEnd = 29
const tagBytes = 16
/** Copying so many bytes takes about 2 ms. */
const copiedAtOnceBytes = 4 * 1024 * 1024

/** Encrypts the stored parts of responses, records, conversations and targets, as JSON, with the data key of the organization. */
export class SealedParts {
  readonly #keys: DataKeys

  constructor(keys: DataKeys) {
    this.#keys = keys
  }

  /** A large value is sealed in many turns of the event loop, until `signal` aborts. It must not change meanwhile. */
  async seal(org: string, place: Place, value: object, signal?: AbortSignal): Promise<Uint8Array> {
    const key = await this.#keys.current(org)
    const header = Buffer.concat([Buffer.of(version), Buffer.from(key.id, 'hex'), randomBytes(nonceEnd - keyIdEnd)])
    const cipher = createCipheriv('aes-256-gcm', key.bytes, header.subarray(keyIdEnd))
    cipher.setAAD(associated(header, place))
    if (jsonBytes(value, pieceCharacters) > pieceCharacters) return await sealedInPieces(header, cipher, value, signal)
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

async function sealedInPieces(header: Buffer, cipher: CipherGCM, value: object, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const sealed: Buffer[] = [header]
  for (const piece of jsonPieces(value)) {
    await nextTurn()
    signal?.throwIfAborted()
    sealed.push(cipher.update(piece, 'utf8'))
  }
  sealed.push(cipher.final(), cipher.getAuthTag())
  return await joined(sealed)
}

/** Empties the list, and frees what was copied at once. */
async function joined(pieces: Buffer[]): Promise<Uint8Array> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let copied = 0
  for (let turns = 0; pieces.length > 0;) {
    if (copied >= turns * copiedAtOnceBytes) {
      await nextTurn()
      turns++
    }
    const piece = pieces.shift()!
    whole.set(piece, copied)
    copied += piece.length
    const { buffer } = piece
    if (buffer instanceof ArrayBuffer && buffer.byteLength === piece.length) buffer.transfer(0)
  }
  return whole
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
