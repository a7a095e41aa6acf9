import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ApiKey, KeyChange } from '../contracts/key-store.ts'
import type { Sealer } from '../contracts/sealer.ts'

const form = /^tp_([0-9a-z]{12})_([0-9a-f]{40})([0-9a-f]{8})$/

/** The settings of a new key; see `ApiKey`. */
export type KeySettings = Pick<ApiKey, 'name'> & Partial<Omit<ApiKey, 'id' | 'hash' | 'createdAt'>>

/** Creates a key `tp_<id>_<secret>` with 160 random bits and a checksum. `text` is shown once and never stored. */
export function issueApiKey(sealer: Sealer, createdAt: number, settings: KeySettings): { readonly key: ApiKey; readonly text: string } {
  const id = randomBytes(6).toString('hex')
  const text = newText(id)
  return { key: { org: 'default', policy: {}, ...settings, id, hash: hashApiKey(sealer, text), createdAt }, text }
}

/** Creates a new secret for a key. The old one stays valid for `graceMs`. `text` is shown once and never stored. */
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

/** The id in a well-formed key. Undefined for any other text, which needs no look-up. */
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
