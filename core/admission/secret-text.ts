import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const form = /^([a-z]{2})_([0-9a-z]{12})_([0-9a-f]{40})([0-9a-f]{8})$/

/** The text of an API key (`tp`) or an admin token (`ta`): `<prefix>_<id>_<secret>`, with 160 random bits and a checksum. */
export function newSecretText(prefix: 'tp' | 'ta', id: string): string {
  const secret = randomBytes(20).toString('hex')
  return `${prefix}_${id}_${secret}${checksum(id, secret)}`
}

export function newSecretId(): string {
  return randomBytes(6).toString('hex')
}

/** The id in a well-formed text. Undefined for any other text, which needs no look-up. */
export function secretTextId(prefix: 'tp' | 'ta', text: string): string | undefined {
  const [, start, id, secret, sum] = form.exec(text) ?? []
  return start === prefix && id !== undefined && secret !== undefined && sum === checksum(id, secret) ? id : undefined
}

function checksum(id: string, secret: string): string {
  return crc32(`${id}_${secret}`).toString(16).padStart(8, '0')
}
