import { randomBytes } from 'node:crypto'

export const secretPrefix = 'whsec_'
const [leastBytes, mostBytes, madeBytes] = [24, 64, 32]

export const expectedSecret = `whsec_ and the base64 of ${leastBytes} to ${mostBytes} bytes, such as the output of: echo whsec_$(openssl rand -base64 32)`

/** True for a secret as Standard Webhooks has them. Libraries that verify signatures refuse base64 that is not exact. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(secretPrefix)) return false
  const encoded = text.slice(secretPrefix.length)
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length >= leastBytes && bytes.length <= mostBytes && bytes.toString('base64') === encoded
}

export function newSecret(): string {
  return `${secretPrefix}${randomBytes(madeBytes).toString('base64')}`
}
