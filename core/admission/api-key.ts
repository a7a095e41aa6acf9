import type { ApiKey, KeyChange, KeySettings } from '../contracts/key-store.ts'
import type { Sealer } from '../contracts/sealer.ts'
import { newSecretId, newSecretText, secretTextId } from './secret-text.ts'

/** Creates a key `tp_<id>_<secret>` with 160 random bits and a checksum. `text` is shown once and never stored. */
export function issueApiKey(sealer: Sealer, createdAt: number, settings: KeySettings): { readonly key: ApiKey; readonly text: string } {
  const id = newSecretId()
  const text = newSecretText('tp', id)
  return { key: { org: 'default', policy: {}, ...settings, id, hash: hashApiKey(sealer, text), createdAt }, text }
}

/** A request looks through them one by one. */
const maxPrevious = 10

/**
 * Creates a new secret for a key. The old one stays valid for `graceMs`, and those before it until their time is over. Without grace, all
 * of them end now. The hashes of those that ended are kept while there is room, so that records can tell who still sends one. `text` is shown
 * once and never stored.
 */
export function rotateApiKey(
  sealer: Sealer,
  now: number,
  { id, hash, previous = [] }: ApiKey,
  graceMs: number,
): { readonly change: KeyChange; readonly text: string } {
  const text = newSecretText('tp', id)
  const endsBy = graceMs > 0 ? Infinity : now
  const earlier = [{ hash, validUntil: now + graceMs }, ...previous].map(each => ({
    ...each,
    validUntil: Math.min(each.validUntil, endsBy),
  }))
  const [valid, ended] = [true, false].map(isValid => earlier.filter(({ validUntil }) => validUntil > now === isValid))
  return { change: { hash: hashApiKey(sealer, text), previous: [...valid!, ...ended!].slice(0, maxPrevious) }, text }
}

/** The id in a well-formed key. Undefined for any other text, which needs no look-up. */
export function apiKeyId(text: string): string | undefined {
  return secretTextId('tp', text)
}

export function hashApiKey(sealer: Sealer, text: string): string {
  return sealer.mac('api-key', text).toString('base64url')
}
