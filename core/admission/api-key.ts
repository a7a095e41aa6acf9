import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ApiKey, KeyChange } from '../contracts/key-store.ts'
import type { Sealer } from '../contracts/sealer.ts'

const form = /^tp_([0-9a-z]{12})_([0-9a-f]{40})([0-9a-f]{8})$/

/** What a new key may and must do; see `ApiKey`. */
export type KeySettings = Pick<ApiKey, 'name'> & Partial<Omit<ApiKey, 'id' | 'hash' | 'createdAt'>>

/** Makes a key `tp_<id>_<secret>`: 160 random bits and a checksum. `text` is shown once and kept nowhere. */
export function issueApiKey(sealer: Sealer, createdAt: number, settings: KeySettings): { readonly key: ApiKey; readonly text: string } {
  const id = randomBytes(6).toString('hex')
  const text = newText(id)
  return { key: { org: 'default', policy: {}, ...settings, id, hash: hashApiKey(sealer, text), createdAt }, text }
}

/** A new secret for a key. The old one opens the gateway for `graceMs` more. `text` is shown once and kept nowhere. */
export function rotateApiKey(
  sealer: Sealer,
  now: number,
  { id, hash }: ApiKey,
  graceMs: number,
): { readonly change: KeyChange; readonly text: string } {
  const text = newText(id)
  const previous = graceMs > 0 ? { hash, validUntil: now + graceMs } : undefined
  return { change: { hash: hashApiKey(sealer, text), previous }, text }
}

/** The id in a well-formed key; undefined spares the store a look-up. */
export function apiKeyId(text: string): string | undefined {
  const [, id, secret, sum] = form.exec(text) ?? []
  return id !== undefined && secret !== undefined && sum === checksum(id, secret) ? id : undefined
}

export function hashApiKey(sealer: Sealer, text: string): string {
  return sealer.mac('api-key', text).toString('base64url')
}

function newText(id: string): string {
  const secret = randomBytes(20).toString('hex')
  return `tp_${id}_${secret}${checksum(id, secret)}`
}

function checksum(id: string, secret: string): string {
  return crc32(`${id}_${secret}`).toString(16).padStart(8, '0')
}
